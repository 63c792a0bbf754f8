"""Tenants on both stores; on PostgreSQL with and without roles."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from leasehold.store import open_store
from leasehold.store.tenants.store import TenantStore
from tests.safety.scene import ACME, Scene, build

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    """Where the store is; asked for by name, so that SQLite needs no server."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """The whole store, as operators and workers have it."""
    with contextlib.closing(open_store(store_url)) as opened:
        opened.migrate()
        yield opened


@pytest.fixture
def scene(store: Store) -> Scene:
    return build(store)


@pytest.fixture
def acme(store: Store) -> TenantStore:
    """The store as the tenant acme has it."""
    return TenantStore(lambda: store, ACME)
