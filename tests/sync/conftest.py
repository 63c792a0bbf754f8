"""Fixtures of the application's tests: a queue with the sync's tables, on either database."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.kit.data import Database, close_databases, database_of
from leasehold_sync import apps
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.data.tables import metadata
from leasehold_sync.model.apps import App
from leasehold_sync.servers import LocalServer, ServerProcess, StripeServer
from tests.app_tables import AppTables, copy_file

if TYPE_CHECKING:
    from tests.postgres_server import PostgresServer
    from tests.recycling import Shelf

TABLES = AppTables(MIGRATIONS, metadata)


@pytest.fixture(scope="session")
def sync_postgres_url(postgres_server: PostgresServer, shelf: Shelf) -> Iterator[str]:
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
    """A database with the tables of the queue and of the sync, and nothing in them."""
    if request.param == "sqlite":
        return copy_file(request.getfixturevalue("sqlite_template"), tmp_path)
    return TABLES.empty(request.getfixturevalue("sync_postgres_url"), shelf)


@pytest.fixture
def queue(url: str) -> Iterator[lh.Client]:
    """A client of the queue."""
    with lh.Client(url) as client:
        yield client


@pytest.fixture
def database(queue: lh.Client) -> Database:
    return database_of(queue.url)


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    """Whatever a test has opened by the way."""
    yield
    close_databases()


@pytest.fixture
def stripe() -> Iterator[StripeServer]:
    with StripeServer(rows={"customers": 250, "subscriptions": 40}) as server:
        yield server


@pytest.fixture
def make_app(
    queue: lh.Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., App]:
    """Add an app that reads a local server, with a credential of the environment."""

    def make(server: LocalServer | ServerProcess, app_key: str = "shop", **fields: Any) -> App:
        variable = f"SYNC_TEST_{app_key.upper()}"
        monkeypatch.setenv(variable, server.key)
        said: dict[str, Any] = {
            "app_key": app_key,
            "connector": "stripe",
            "credential": f"env:{variable}",
            "base_url": server.url,
            "resources": ("customers",),
        }
        app = App(**said | fields)
        apps.save(queue, database, app)
        return app

    return make
