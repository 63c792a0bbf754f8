"""An object is what it says, not how it is written; and what was written before is not read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from sqlalchemy import text, update

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_sync.data import entities
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.data.tables import entity
from leasehold_sync.model.apps import App
from leasehold_sync.model.pages import Item
from leasehold_sync.servers import StripeServer
from tests.sync.kit import counts, rows_of, sync

NOW = datetime(2026, 11, 16, 12, tzinfo=UTC)
FIRST = '{"id":"a","name":"Ada"}'


@pytest.fixture
def kept(database: Database) -> Database:
    """A database with one object, written as `FIRST`."""
    found = _compare(database, FIRST, run_id="1")
    with database.write() as connection:
        entities.write(database.bulk(connection), found.rows)
    return database


def _compare(
    database: Database, said: str | dict[str, Any], *, run_id: str = "2"
) -> entities.Compared:
    run = entities.Run("shop", f"00000000-0000-7000-8000-{run_id:0>12}", is_full=True, now=NOW)
    item = Item(
        collection="customers",
        external_id="a",
        payload=msgspec.Raw(said.encode()) if isinstance(said, str) else said,
        as_of=NOW - timedelta(minutes=1),
    )
    with database.turn() as turn:
        return entities.compare(turn.bulk, run, [item], "v1")


def test_an_object_that_is_written_as_before_is_not_read(kept: Database) -> None:
    with patch.object(entities, "write_payload", side_effect=AssertionError("it was read")):
        found = _compare(kept, FIRST)
    assert (found.rows, len(found.unchanged)) == ([], 1)


def test_an_object_that_is_written_differently_and_says_the_same_is_unchanged(
    kept: Database,
) -> None:
    found = _compare(kept, '{ "name": "Ada", "id": "a" }')
    assert (found.rows, len(found.unchanged)) == ([], 1)


def test_an_object_that_says_something_else_is_written(kept: Database) -> None:
    found = _compare(kept, '{"id":"a","name":"Eve"}')
    assert (len(found.rows), found.unchanged, found.counts.updated) == (1, [], 1)


def test_an_object_whose_text_nobody_knows_is_compared_by_what_it_says(kept: Database) -> None:
    with kept.write() as connection:
        connection.execute(update(entity).values(text_hash=None))
    assert len(_compare(kept, {"name": "Ada", "id": "a"}).unchanged) == 1
    assert len(_compare(kept, {"name": "Eve", "id": "a"}).rows) == 1


def test_an_object_that_was_deleted_and_is_written_as_before_is_back(kept: Database) -> None:
    with kept.write() as connection:
        connection.execute(update(entity).values(deleted_at=NOW))
    assert len(_compare(kept, FIRST).rows) == 1


def test_rows_from_before_texts_were_known_are_unchanged_all_the_same(
    queue: lh.Client,
    database: Database,
    stripe: StripeServer,
    make_app: Callable[..., App],
) -> None:
    make_app(stripe)
    sync(queue)
    with database.write() as connection:
        connection.execute(text("ALTER TABLE entities DROP COLUMN text_hash"))
        connection.execute(text("DELETE FROM sync_version WHERE number = 3"))
    assert MIGRATIONS.migrate(queue) == ["0003"]
    before = rows_of(database, ("number", "text_hash", "last_seen_run", "updated_at"))
    assert {row[1] for row in before} == {None}
    assert counts(sync(queue)) == (0, 0, 250, 0)
    assert rows_of(database, ("number", "text_hash", "last_seen_run", "updated_at")) == before
