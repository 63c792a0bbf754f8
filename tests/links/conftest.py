"""Fixtures of the application's tests: a queue with the library's tables, on either database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.kit.data import Database, close_databases, database_of
from leasehold_links.data.migrating import MIGRATIONS
from leasehold_links.data.tables import metadata
from leasehold_links.settings import Settings, lending
from tests.app_tables import AppTables, copy_file
from tests.links.odd_web import OddWeb

if TYPE_CHECKING:
    from tests.postgres_server import PostgresServer
    from tests.recycling import Shelf

TABLES = AppTables(MIGRATIONS, metadata)


@pytest.fixture(scope="session")
def links_postgres_url(postgres_server: PostgresServer, shelf: Shelf) -> Iterator[str]:
    """One database with all tables for all tests here, emptied before each: to make one is slow."""
    url = postgres_server.create_database()
    TABLES.make(url)
    yield shelf.share(url)
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return TABLES.make_file(tmp_path_factory.mktemp("template"))


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path, shelf: Shelf) -> str:
    """A database with the tables of the queue and of the library, and nothing in them."""
    if request.param == "sqlite":
        return copy_file(request.getfixturevalue("sqlite_template"), tmp_path)
    return TABLES.empty(request.getfixturevalue("links_postgres_url"), shelf)


@pytest.fixture(params=["sqlite", "postgres"])
def bare_url(request: pytest.FixtureRequest) -> str:
    """A database of its own, without any table."""
    name: str = request.getfixturevalue(f"{request.param}_url")
    return name


@pytest.fixture
def client(url: str) -> Iterator[lh.Client]:
    with lh.Client(url) as client:
        yield client


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Whatever a test has opened by the way."""
    yield
    close_databases()


@pytest.fixture
def database(client: lh.Client) -> Database:
    return database_of(client.url)


@pytest.fixture
def web() -> Iterator[OddWeb]:
    """A web of our own, under names that end in .test."""
    with OddWeb() as web:
        said = Settings(allow=(f"127.0.0.1:{web.port}",), names={"test": "127.0.0.1"})
        with lending(said):
            yield web
