"""Every test here runs on both stores, where the kind of connection leads to both."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING

import pytest

from leasehold.client import Client
from leasehold.store import open_store
from tests.conformance.tables import open_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from leasehold.store.base import Store
    from tests.postgres_server import PostgresServer
    from tests.recycling import Shelf

OWN_TABLE = "CREATE TABLE own (id integer PRIMARY KEY, note text)"


@pytest.fixture(scope="session")
def api_postgres_url(
    postgres_server: PostgresServer, postgres_template: str, shelf: Shelf
) -> Iterator[str]:
    """One database with a table of the caller's own; emptied before each test."""
    url = postgres_server.create_database(postgres_template)
    make_own_table(url)
    yield shelf.share(url)
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def api_sqlite_url(sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{shutil.copy(sqlite_template, tmp_path_factory.mktemp('api'))}"
    make_own_table(url)
    return url


def make_own_table(url: str) -> None:
    with open_tables(url) as tables:
        tables.execute(OWN_TABLE)


def empty(url: str) -> str:
    with open_tables(url) as tables:
        tables.empty()
        tables.execute("DELETE FROM own")
    return url


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    return empty(request.getfixturevalue(f"api_{request.param}_url"))


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    with contextlib.closing(open_store(store_url)) as opened:
        yield opened


@pytest.fixture
def client(store_url: str) -> Iterator[Client]:
    with Client(store_url) as opened:
        yield opened
