"""Tenants on both stores; on PostgreSQL with roles and without."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from leasehold.store import open_store
from leasehold.store.tenants.store import TenantStore
from tests.safety.roles import Access, database_with_roles
from tests.safety.scene import ACME, Scene, build

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store
    from tests.postgres_server import PostgresServer
    from tests.recycling import Shelf


@pytest.fixture(scope="session")
def shared_access(postgres_server: PostgresServer, shelf: Shelf) -> Iterator[Access]:
    """One database with roles for the whole session: making one takes a second."""
    with database_with_roles(postgres_server) as access:
        for url in (access.admin, access.worker, access.app):
            shelf.share(url)
        yield access


@pytest.fixture
def access(shared_access: Access, shelf: Shelf) -> Access:
    """The ways into a database with roles, emptied."""
    shelf.empty(shared_access.admin)
    return shared_access


@pytest.fixture
def worker_url(access: Access) -> str:
    return access.worker


@pytest.fixture
def app_url(access: Access) -> str:
    return access.app


@pytest.fixture(params=["sqlite", "postgres", "worker", "app"])
def way(request: pytest.FixtureRequest) -> str:
    """The way by which tenants come: a file, a database without roles, or one with them.

    There their requests come by the worker's login, as the service's do, or by the app's.
    """
    way: str = request.param
    return way


@pytest.fixture
def plain_url(shared_postgres_url: str, shelf: Shelf) -> str:
    """A database without roles, emptied."""
    return shelf.empty(shared_postgres_url)


@pytest.fixture
def store_url(way: str, request: pytest.FixtureRequest) -> str:
    """Where the whole store is."""
    names = {"sqlite": "migrated_sqlite_url", "postgres": "plain_url"}
    url: str = request.getfixturevalue(names.get(way, "worker_url"))
    return url


@pytest.fixture
def tenants_store(store: Store, way: str, request: pytest.FixtureRequest) -> Iterator[Store]:
    """The store that tenants' clients are made of."""
    if way != "app":
        yield store
        return
    with contextlib.closing(open_store(request.getfixturevalue("app_url"))) as opened:
        yield opened


@pytest.fixture
def store(store_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """The whole store, as operators and workers have it."""
    monkeypatch.setattr("leasehold.store.postgres.levels.HEAD_MOST_SECONDS", 0.0)
    with contextlib.closing(open_store(store_url)) as opened:
        yield opened


@pytest.fixture
def scene(store: Store) -> Scene:
    return build(store)


@pytest.fixture
def acme(tenants_store: Store) -> TenantStore:
    """The store as the tenant acme has it."""
    return TenantStore(lambda: tenants_store, ACME)
