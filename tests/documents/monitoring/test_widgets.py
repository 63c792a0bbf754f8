"""The three figures count what they say, for one tenant or for all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import text

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.access import Access, Service
from leasehold_documents.errors import Rejected
from leasehold_documents.monitoring import widgets
from tests.documents.access.kit import Two, make_two
from tests.documents.data.kit import enqueue, run


@pytest.fixture
def two(queue: lh.Client, database: Database) -> Two:
    """The first tenant has had two that went well and one that died; both have one that waits."""
    two = make_two(database)
    for behave in ("well", "well", "die", "cancel"):
        enqueue(queue, two.first, behave)
    run(queue)
    enqueue(queue, two.first)
    enqueue(queue, two.second)
    return two


def make_older(queue: lh.Client, database: Database, column: str) -> None:
    """Let all that ended have been made, or have ended, two days ago."""
    table = "job" if column == "created_at" else "outcome"
    name = f"leasehold_{table}" if database.is_sqlite else f"leasehold.{table}"
    moment = datetime.now(UTC) - timedelta(days=2)
    given = int(moment.timestamp() * 1e6) if database.is_sqlite else moment
    with database.write() as connection:
        connection.execute(text(f"UPDATE {name} SET {column} = :moment"), {"moment": given})  # noqa: S608


def test_a_tenant_sees_its_own(queue: lh.Client, database: Database, two: Two) -> None:
    first = widgets(Access(queue, database, two.ada, two.first))
    assert (first.queued, first.failed) == (1, 1)
    assert first.average_seconds is not None
    assert 0 <= first.average_seconds < 10
    second = widgets(Access(queue, database, two.bob, two.second))
    assert (second.queued, second.failed, second.average_seconds) == (1, 0, None)


def test_the_service_sees_all(queue: lh.Client, database: Database, two: Two) -> None:
    found = widgets(Service(queue, database))
    assert (found.queued, found.failed) == (2, 1)


def test_what_ended_longer_ago_counts_only_in_the_window_of_all(
    queue: lh.Client, database: Database, two: Two
) -> None:
    make_older(queue, database, "finished_at")
    everything = Service(queue, database)
    recent = widgets(everything)
    assert (recent.queued, recent.failed, recent.average_seconds) == (2, 0, None)
    assert widgets(everything, window="all").average_seconds is not None


def test_by_created_counts_as_the_seed_does(queue: lh.Client, database: Database, two: Two) -> None:
    everything = Service(queue, database)
    make_older(queue, database, "finished_at")
    assert widgets(everything, window="all", by="created").failed == 1
    make_older(queue, database, "created_at")
    found = widgets(everything, window="all", by="created")
    assert found.failed == 0
    assert found.average_seconds is not None


@pytest.mark.parametrize("said", [{"window": "1h"}, {"by": "moon"}])
def test_other_words_are_refused(
    queue: lh.Client, database: Database, said: dict[str, str]
) -> None:
    with pytest.raises(Rejected, match="BAD_PARAMETER"):
        widgets(Service(queue, database), **said)
