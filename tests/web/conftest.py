"""Every test here that needs a database runs on both."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from leasehold.client import Client
from leasehold.store import open_store
from leasehold.web import WebSettings
from tests.conformance.tables import let_hurry, open_tables
from tests.web.kit import Service, serve_inside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def web_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """One migrated database for all tests here, emptied before each: making one takes long."""
    url = postgres_server.create_database()
    let_hurry(url)
    with contextlib.closing(open_store(url)) as store:
        store.migrate()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def web_sqlite_url(sqlite_url: str) -> str:
    with contextlib.closing(open_store(sqlite_url)) as store:
        store.migrate()
    return sqlite_url


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"web_{request.param}_url")
    with open_tables(url) as tables:
        tables.empty()
    return url


@pytest.fixture
def client(store_url: str) -> Iterator[Client]:
    with Client(store_url) as opened:
        yield opened


@pytest.fixture
def serve(client: Client) -> Iterator[Callable[[WebSettings], Service]]:
    """Make a service with settings of one's own."""
    with contextlib.ExitStack() as stack:
        yield lambda settings: stack.enter_context(serve_inside(client, settings))


@pytest.fixture
def service(serve: Callable[[WebSettings], Service]) -> Service:
    """A service over the store, without a server."""
    return serve(WebSettings())
