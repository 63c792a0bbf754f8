"""Every test here that needs a database runs on both."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from leasehold.client import Client
from leasehold.store import open_store
from tests.cli.kit import Cli
from tests.conformance.tables import open_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def cli_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """One migrated database for all tests here, emptied before each: making one takes long."""
    url = postgres_server.create_database()
    with contextlib.closing(open_store(url)) as store:
        store.migrate()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def cli_sqlite_url(sqlite_url: str) -> str:
    with contextlib.closing(open_store(sqlite_url)) as store:
        store.migrate()
    return sqlite_url


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"cli_{request.param}_url")
    with open_tables(url) as tables:
        tables.empty()
    return url


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest) -> str:
    """A database without tables."""
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def client(store_url: str) -> Iterator[Client]:
    with Client(store_url) as opened:
        yield opened


@pytest.fixture
def cli(store_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.chdir(tmp_path)
    return Cli(store_url, tmp_path)
