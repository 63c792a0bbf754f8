"""The service as the worker's login, on a database with roles: each token sees its tenant."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.web import WebSettings
from tests.safety.alternating import store_on_few_connections
from tests.safety.scene import ACME, GLOBEX
from tests.web.kit import serve_inside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.safety.roles import Access

ROUNDS = 40


@pytest.fixture
def client(access: Access) -> Iterator[lh.Client]:
    with store_on_few_connections(access.worker, 2) as store, lh.Client(store=store) as client:
        yield client


def test_tokens_in_turns_see_their_own_tenant_and_no_other(client: lh.Client) -> None:
    tokens = {
        name: client.tokens.add(name, scope="operate", tenant=name).secret
        for name in (ACME, GLOBEX)
    }
    made: dict[str, list[str]] = {ACME: [], GLOBEX: []}
    with serve_inside(client, WebSettings()) as service:
        for number in range(ROUNDS):
            for name, other in ((ACME, GLOBEX), (GLOBEX, ACME)):
                said: Any = {"headers": {"authorization": f"Bearer {tokens[name]}"}}
                job = {"kind": "web.add", "args": {"left": number}}
                made[name].append(service.ask("POST", "/api/jobs", json=job, **said).json()["id"])
                listed = service.get("/api/jobs", params={"limit": 100}, **said)["jobs"]
                assert {each["id"] for each in listed} == set(made[name])
                assert {each["tenant"] for each in listed} == {name}
                for foreign in made[other][-1:]:
                    service.refused(404, "GET", f"/api/jobs/{foreign}", **said)
                    service.refused(404, "POST", f"/api/jobs/{foreign}/cancel", **said)
                service.refused(403, "POST", "/api/queues/default/pause", json={}, **said)
    states = {job.state for job in client.find(limit=1_000)}
    assert states == {lh.State.QUEUED}
    assert len(client.find(limit=1_000)) == 2 * ROUNDS


def test_what_a_tenant_did_is_written_down_by_its_own_role(client: lh.Client) -> None:
    acme = client.for_tenant(ACME)
    acme.cancel(acme.enqueue_by_name("web.add").id, by="ada")
    with contextlib.suppress(lh.JobNotFound):
        acme.cancel(client.for_tenant(GLOBEX).enqueue_by_name("web.add").id, by="ada")
    (row,) = client.audit.list(action="job.cancel")
    assert row.tenant == ACME
    assert [each.id for each in acme.audit.list()] == [row.id]
    assert client.for_tenant(GLOBEX).audit.list() == []
