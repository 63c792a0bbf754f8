"""A caller's own connection, of any kind, logged in as the app, enqueues as its tenant."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.store import open_store
from tests.api.connections import KINDS
from tests.safety.scene import ACME, GLOBEX

if TYPE_CHECKING:
    from tests.safety.roles import Access

POSTGRES = [kind for kind, (_, backends) in KINDS.items() if "postgres" in backends]


@lh.task(name="callers.greet")
def greet(name: str = "Ada") -> None: ...


@pytest.mark.parametrize("kind", POSTGRES)
def test_a_caller_of_any_kind_enqueues_as_its_tenant(access: Access, kind: str) -> None:
    with contextlib.closing(open_store(access.worker)) as store:
        whole = lh.Client(store=store)
        foreign = whole.for_tenant(GLOBEX).enqueue(greet).id
        opening, _ = KINDS[kind]
        with opening(access.app) as handle:
            client = handle.client(access.app)
            bound: Any = client.for_tenant(ACME).on(handle.target)
            first = handle.call(bound.enqueue(greet))
            handle.call(bound.enqueue(greet.with_options(key="order-1")))
            handle.call(bound.enqueue(greet.with_options(after=first)))
            with pytest.raises(lh.JobNotFound):
                handle.call(bound.enqueue(greet.with_options(after=foreign)))
            handle.commit()
            _close(handle, client)
        assert len(whole.for_tenant(ACME).find()) == 3
        assert len(whole.find()) == 4


def _close(handle: Any, client: Any) -> None:
    closed = client.close()
    if closed is not None:
        handle.call(closed)
