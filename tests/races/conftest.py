"""Races are held still in the middle: on PostgreSQL by open transactions, else by virtual time."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from leasehold.store import open_store
from tests.conformance.conftest import pytest_generate_tests, store_url
from tests.races.kit import PostgresRace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store
    from tests.conformance.tables import Tables
    from tests.recycling import Shelf

__all__ = ["pytest_generate_tests", "store_url"]


@pytest.fixture
def from_head(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scan from the head in each claim, so that hints have no part in this race."""
    monkeypatch.setattr("leasehold.store.postgres.levels.HEAD_MOST_SECONDS", 0.0)


@pytest.fixture
def store(store_url: str, from_head: None) -> Iterator[Store]:
    """Either store."""
    with contextlib.closing(open_store(store_url)) as opened:
        yield opened


@pytest.fixture
def race(shared_postgres_url: str, shelf: Shelf, from_head: None) -> Iterator[PostgresRace]:
    """Two sides on one PostgreSQL."""
    with contextlib.closing(PostgresRace(shelf.empty(shared_postgres_url))) as opened:
        yield opened


@pytest.fixture
def tables(race: PostgresRace, shelf: Shelf) -> Iterator[Tables]:
    with shelf.open_tables(race.url) as opened:
        yield opened
