"""Tenants on both stores; on PostgreSQL with roles and without."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from leasehold.store import open_store
from leasehold.store.tenants.store import TenantStore
from tests.conformance.tables import let_hurry, open_tables
from tests.safety.roles import Access, database_with_roles
from tests.safety.scene import ACME, Scene, build

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store
    from tests.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def shared_access(postgres_server: PostgresServer) -> Iterator[Access]:
    """One database with roles for the whole session: making one takes a second."""
    with database_with_roles(postgres_server) as access:
        let_hurry(access.admin)
        yield access


@pytest.fixture
def access(shared_access: Access) -> Access:
    """The ways into a database with roles, emptied."""
    with open_tables(shared_access.admin) as tables:
        tables.empty()
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


@pytest.fixture(scope="session")
def shared_plain_url(postgres_server: PostgresServer) -> Iterator[str]:
    """One database without roles for the whole session."""
    url = postgres_server.create_database()
    let_hurry(url)
    with contextlib.closing(open_store(url)) as store:
        store.migrate()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def plain_url(shared_plain_url: str) -> str:
    with open_tables(shared_plain_url) as tables:
        tables.empty()
    return shared_plain_url


@pytest.fixture
def store_url(way: str, request: pytest.FixtureRequest) -> str:
    """Where the whole store is."""
    names = {"sqlite": "sqlite_url", "postgres": "plain_url"}
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
        if opened.schema().pending:
            opened.migrate()
        yield opened


@pytest.fixture
def scene(store: Store) -> Scene:
    return build(store)


@pytest.fixture
def acme(tenants_store: Store) -> TenantStore:
    """The store as the tenant acme has it."""
    return TenantStore(lambda: tenants_store, ACME)
