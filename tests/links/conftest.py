"""Fixtures of the application's tests: a queue with the library's tables, on either database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import leasehold as lh
from leasehold_links.data.database import Database
from leasehold_links.data.migrating import migrate
from leasehold_links.settings import Settings, lending
from leasehold_links.tasks import database_of
from tests.links.odd_web import OddWeb


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    name: str = request.getfixturevalue(f"{request.param}_url")
    return name


@pytest.fixture
def client(url: str) -> Iterator[lh.Client]:
    with lh.Client(url) as client:
        client.store.migrate()
        yield client


@pytest.fixture
def database(client: lh.Client) -> Iterator[Database]:
    database = database_of(client.url)
    migrate(database)
    yield database
    database.close()
    database_of.cache_clear()


@pytest.fixture
def web() -> Iterator[OddWeb]:
    """A web of our own, under names that end in .test."""
    with OddWeb() as web:
        said = Settings(allow=(f"127.0.0.1:{web.port}",), names={"test": "127.0.0.1"})
        with lending(said):
            yield web
