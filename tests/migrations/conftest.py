"""A fresh, empty database of either kind for each test."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from leasehold.store import open_store
from tests.conformance.tables import open_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


@pytest.fixture(params=["sqlite", "postgres"])
def fresh_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue(f"{request.param}_url")
    return url


@pytest.fixture
def application(fresh_url: str) -> Iterator[Tables]:
    """The database of an application that does not know leasehold yet."""
    with open_tables(fresh_url) as tables:
        tables.execute("CREATE TABLE invoice (n integer)")
        tables.execute("INSERT INTO invoice VALUES (7)")
        yield tables


@pytest.fixture
def store(fresh_url: str) -> Iterator[Store]:
    """A migrated store."""
    with contextlib.closing(open_store(fresh_url)) as opened:
        opened.migrate()
        yield opened


@pytest.fixture
def tables(store: Store) -> Iterator[Tables]:
    with open_tables(store.url) as opened:
        yield opened
