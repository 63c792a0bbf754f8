"""Fixtures of the application's tests: a queue with the tables of documents, on either database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.kit.data import Database, close_databases, database_of
from leasehold_documents.data.migrating import MIGRATIONS
from leasehold_documents.data.tables import metadata
from leasehold_documents.extracting import close_engines
from tests.app_tables import AppTables, copy_file

if TYPE_CHECKING:
    from tests.postgres_server import PostgresServer
    from tests.recycling import Shelf

TABLES = AppTables(MIGRATIONS, metadata)


@pytest.fixture(scope="session")
def documents_postgres_url(postgres_server: PostgresServer, shelf: Shelf) -> Iterator[str]:
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
    """A database with the tables of the queue and of documents, and nothing in them."""
    if request.param == "sqlite":
        return copy_file(request.getfixturevalue("sqlite_template"), tmp_path)
    return TABLES.empty(request.getfixturevalue("documents_postgres_url"), shelf)


@pytest.fixture
def queue(url: str) -> Iterator[lh.Client]:
    """A client of the queue."""
    with lh.Client(url) as client:
        yield client


@pytest.fixture
def database(queue: lh.Client) -> Database:
    return database_of(queue.url)


@pytest.fixture(autouse=True, scope="session")
def _parsers_ended() -> Iterator[None]:
    """The processes that read files are kept between tests, and no longer."""
    yield
    close_engines()


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Whatever a test has opened by the way."""
    yield
    close_databases()
