"""A tenant's archive: one for each test, or one in each store for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from tests.app_tables import AppTables, copy_file
from tests.documents.searching.kit import Archive
from tests.postgres_server import PostgresServer


@pytest.fixture
def archive(queue: lh.Client, database: Database) -> Archive:
    return Archive(queue, database)


@pytest.fixture(scope="module")
def archives(
    postgres_server: PostgresServer,
    sqlite_template: Path,
    tmp_path_factory: pytest.TempPathFactory,
    app_tables: AppTables,
) -> Iterator[dict[str, Archive]]:
    """Both stores, empty at first: a module fills them once and changes nothing afterwards."""
    url = postgres_server.create_database()
    app_tables.make(url)
    file = copy_file(sqlite_template, tmp_path_factory.mktemp("both"))
    with ExitStack() as opened:
        yield {"postgres": _opened(opened, url), "sqlite": _opened(opened, file)}
    postgres_server.drop_database(url)


def _opened(opened: ExitStack, url: str) -> Archive:
    client = opened.enter_context(lh.Client(url))
    database = Database(client.url)
    opened.callback(database.close)
    return Archive(client, database)
