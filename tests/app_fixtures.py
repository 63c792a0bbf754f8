"""Fixtures that each application's tests have: a queue with its tables, on either database.

A conftest imports them by name and says by a fixture `app_tables` whose tables they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.kit.data import Database, close_databases, database_of
from tests.app_tables import AppTables, copy_file

if TYPE_CHECKING:
    from tests.postgres_server import PostgresServer
    from tests.recycling import Shelf

__all__ = ["app_postgres_url", "close_left_open", "database", "queue", "sqlite_template", "url"]


@pytest.fixture(scope="session")
def app_postgres_url(
    postgres_server: PostgresServer, shelf: Shelf, app_tables: AppTables
) -> Iterator[str]:
    """One database with all tables for all tests here, emptied before each: to make one is slow."""
    url = postgres_server.create_database()
    app_tables.make(url)
    yield shelf.share(url)
    postgres_server.drop_database(url)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory, app_tables: AppTables) -> Path:
    return app_tables.make_file(tmp_path_factory.mktemp("template"))


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path, shelf: Shelf, app_tables: AppTables) -> str:
    """A database with the tables of the queue and of the application, and nothing in them."""
    if request.param == "sqlite":
        return copy_file(request.getfixturevalue("sqlite_template"), tmp_path)
    return app_tables.empty(request.getfixturevalue("app_postgres_url"), shelf)


@pytest.fixture
def queue(url: str) -> Iterator[lh.Client]:
    """A client of the queue."""
    with lh.Client(url) as client:
        yield client


@pytest.fixture
def database(queue: lh.Client) -> Database:
    return database_of(queue.url)


@pytest.fixture(autouse=True)
def close_left_open() -> Iterator[None]:
    """Whatever a test has opened by the way."""
    yield
    close_databases()
