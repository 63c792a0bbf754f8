"""`jobs` shows the queue in the seed's words, on both stores."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

import leasehold as lh
from leasehold.kit.data import Database, queue_views
from tests.documents.access.kit import Two, make_two
from tests.documents.data.kit import enqueue, run


@pytest.fixture
def two(database: Database) -> Two:
    return make_two(database)


def status_of(database: Database, job_id: UUID) -> str:
    with database.browse() as connection:
        wanted = text("SELECT status FROM jobs WHERE id = :id")
        return str(connection.scalar(wanted, {"id": str(job_id)}))


@pytest.mark.parametrize(
    ("behave", "status"),
    [("well", "done"), ("die", "dead"), ("fail", "failed"), ("cancel", "cancelled")],
)
def test_what_became_of_a_job_is_said_in_the_seeds_words(
    queue: lh.Client, database: Database, two: Two, behave: str, status: str
) -> None:
    job_id = enqueue(queue, two.first, behave)
    assert status_of(database, job_id) == "queued"
    run(queue)
    assert status_of(database, job_id) == status


def test_a_job_that_is_put_off_or_held_back_is_queued(
    queue: lh.Client, database: Database, two: Two
) -> None:
    later = enqueue(queue, two.first, delay="1h")
    behind = enqueue(queue, two.first, after=later)
    parked = enqueue(queue, two.first, share=None)

    @lh.task(name="other", queue="documents")
    def other() -> None: ...

    lh.Worker(queue, [other], poll="50ms").run(until_empty=True)
    assert [status_of(database, each) for each in (later, behind, parked)] == ["queued"] * 3


def test_other_applications_jobs_are_not_there(
    queue: lh.Client, database: Database, two: Two
) -> None:
    @lh.task(name="links.enrich")
    def other() -> None: ...

    queue.enqueue(other)
    queue.for_tenant("acme").enqueue(other)
    queue.for_tenant(str(two.first)).enqueue(other)
    mine = enqueue(queue, two.first)
    with database.browse() as connection:
        found = connection.execute(text("SELECT id, type FROM jobs")).all()
    assert [(str(row.id), row.type) for row in found] == [(str(mine), "extract_document")]


def both(database: Database) -> tuple[list[Any], list[Any]]:
    """Read our view and the queue's own, but for what is said in other words."""
    same = "id, type, payload, priority, attempts, max_attempts, run_at, started_at, finished_at, "
    same += "result, error_message, created_at, updated_at"
    with database.browse() as connection:
        views = ("jobs", queue_views(connection)["jobs"])
        ours, theirs = (
            connection.execute(text(f"SELECT {same} FROM {name} ORDER BY id")).all()  # noqa: S608
            for name in views
        )
    return [tuple(row) for row in ours], [tuple(row) for row in theirs]


def test_all_is_as_the_queue_itself_shows_it(
    queue: lh.Client, database: Database, two: Two
) -> None:
    for behave in ("well", "die", "fail", "cancel"):
        enqueue(queue, two.first, behave, delay="1ms")
    again = enqueue(queue, two.first, "die")
    run(queue)
    queue.retry(again)
    later = enqueue(queue, two.first, delay="1h", priority=3)
    enqueue(queue, two.first, after=later)
    enqueue(queue, two.second, share=None)
    seen: list[tuple[list[Any], list[Any]]] = []

    @lh.task(name="classify_document", queue="documents")
    def look() -> None:
        seen.append(both(database))

    queue.for_tenant(str(two.first)).enqueue(look.with_options(priority=9))
    lh.Worker(queue, [look], poll="50ms").run(until_empty=True)
    for ours, theirs in (*seen, both(database)):
        assert len(ours) == 9
        assert ours == theirs


def test_a_job_has_all_that_the_seed_asks_for(
    queue: lh.Client, database: Database, two: Two
) -> None:
    job_id = enqueue(queue, two.first, priority=3)
    run(queue)
    with database.browse() as connection:
        row = connection.execute(text("SELECT * FROM jobs")).mappings().one()
    assert (str(row["id"]), str(row["tenant_id"])) == (str(job_id), str(two.first))
    assert (row["priority"], row["attempts"], row["max_attempts"]) == (3, 1, 4)
    assert str(row["created_by"]) == queue.get(job_id).created_by
    assert "chunk_count" in str(row["result"])
    assert "unstructured_fast" in str(row["payload"])
    moments = [row[name] for name in ("created_at", "started_at", "finished_at", "updated_at")]
    assert moments == sorted(moments)
