"""Fixtures of the application's tests: a queue with the library's tables, on either database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import leasehold as lh
from leasehold_links.data.migrating import MIGRATIONS
from leasehold_links.data.tables import metadata
from leasehold_links.settings import Settings, lending
from tests.app_fixtures import *  # noqa: F403 - fixtures
from tests.app_tables import AppTables
from tests.links.odd_web import OddWeb


@pytest.fixture(scope="session")
def app_tables() -> AppTables:
    return AppTables(MIGRATIONS, metadata)


@pytest.fixture(params=["sqlite", "postgres"])
def bare_url(request: pytest.FixtureRequest) -> str:
    """A database of its own, without any table."""
    name: str = request.getfixturevalue(f"{request.param}_url")
    return name


@pytest.fixture
def client(queue: lh.Client) -> lh.Client:
    return queue


@pytest.fixture
def web() -> Iterator[OddWeb]:
    """A web of our own, under names that end in .test."""
    with OddWeb() as web:
        said = Settings(allow=(f"127.0.0.1:{web.port}",), names={"test": "127.0.0.1"})
        with lending(said):
            yield web
