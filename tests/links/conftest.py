"""Fixtures of the application's tests: a queue with the library's tables, on either database."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.kit.data import Database, close_databases, database_of
from leasehold_links.data.migrating import MIGRATIONS
from leasehold_links.data.tables import metadata
from leasehold_links.settings import Settings, lending
from tests.conformance.tables import open_tables
from tests.links.odd_web import OddWeb

if TYPE_CHECKING:
    from tests.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def links_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """One database with all tables for all tests here, emptied before each: to make one is slow."""
    url = postgres_server.create_database()
    make_tables(url)
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("template") / "leasehold.db"
    make_tables(f"sqlite:///{file}")
    return file


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database with the tables of the queue and of the library, and nothing in them."""
    if request.param == "sqlite":
        template: Path = request.getfixturevalue("sqlite_template")
        copied = shutil.copy(template, tmp_path / "leasehold.db")
        return f"sqlite:///{copied}"
    name: str = request.getfixturevalue("links_postgres_url")
    empty_tables(name)
    return name


@pytest.fixture(params=["sqlite", "postgres"])
def bare_url(request: pytest.FixtureRequest) -> str:
    """A database of its own, without any table."""
    name: str = request.getfixturevalue(f"{request.param}_url")
    return name


def make_tables(url: str) -> None:
    with lh.Client(url) as client:
        client.store.migrate()
        MIGRATIONS.migrate(client)


def empty_tables(url: str) -> None:
    with closing(Database(url)) as database, database.write() as connection:
        for table in reversed(metadata.sorted_tables):
            connection.execute(table.delete())
    with open_tables(url) as tables:
        tables.empty()


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
