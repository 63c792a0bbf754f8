"""Every test here runs on both stores: a fresh file, or one database emptied between tests."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from leasehold.store import open_store
from tests.conformance.tables import open_tables

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from leasehold.store.base import Store
    from tests.conformance.tables import Tables
    from tests.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def shared_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """One migrated database for the whole session: making one for each test takes too long."""
    url = postgres_server.create_database()
    with contextlib.closing(open_store(url)) as store:
        store.migrate()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def shared_sqlite_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder: Path = tmp_path_factory.mktemp("shared")
    url = f"sqlite:///{folder / 'leasehold.db'}"
    with contextlib.closing(open_store(url)) as store:
        store.migrate()
    return url


@pytest.fixture(params=["sqlite", "postgres"])
def store_url(request: pytest.FixtureRequest) -> str:
    """Where the store under test is; asked for by name, so that SQLite needs no server."""
    url: str = request.getfixturevalue(f"shared_{request.param}_url")
    with open_tables(url) as tables:
        tables.empty()
    return url


@pytest.fixture
def hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scan from the head in each claim, so that no job is hidden by a hint for half a second.

    Tests of hints and of many claiming at once override this fixture with one that does nothing.
    """
    monkeypatch.setattr("leasehold.store.postgres.levels.HEAD_MOST_SECONDS", 0.0)


@pytest.fixture
def store(store_url: str, hints: None) -> Iterator[Store]:
    """A store of its own for each test: what it remembers must not outlive the emptying."""
    with contextlib.closing(open_store(store_url)) as opened:
        yield opened


@pytest.fixture
def tables(store_url: str) -> Iterator[Tables]:
    with open_tables(store_url) as opened:
        yield opened
