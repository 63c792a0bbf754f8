"""The library inside of the service, on either database."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from leasehold.store import open_store
from leasehold_links.data.database import Database
from leasehold_links.data.migrating import migrate
from leasehold_links.data.tables import metadata
from tests.conformance.tables import open_tables
from tests.links.web.kit import Asker, serve_inside

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from tests.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def links_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """One database for all tests here, emptied before each: making one takes long."""
    url = postgres_server.create_database()
    with contextlib.closing(open_store(url)) as store, contextlib.closing(Database(url)) as own:
        store.migrate()
        migrate(own)
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        new: str = request.getfixturevalue("sqlite_url")
        return new
    url: str = request.getfixturevalue("links_postgres_url")
    names = ", ".join(metadata.tables)
    with contextlib.closing(Database(url)) as own, own.write() as connection:
        connection.execute(text(f"TRUNCATE {names} CASCADE"))
    with open_tables(url) as tables:
        tables.empty()
    return url


@pytest.fixture
def asker(client: lh.Client, database: Database) -> Iterator[Asker]:
    """Somebody who is asked nothing: the demo user."""
    with serve_inside(client, database) as asker:
        yield asker
