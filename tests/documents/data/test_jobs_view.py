"""`jobs` shows the queue in the seed's words, on both stores."""

from __future__ import annotations

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


@pytest.mark.parametrize("behave", ["well", "die", "fail", "cancel"])
def test_all_is_as_the_queue_itself_shows_it(
    queue: lh.Client, database: Database, two: Two, behave: str
) -> None:
    enqueue(queue, two.first, behave, delay="1ms")
    run(queue)
    with database.browse() as connection:
        mine = connection.execute(text("SELECT * FROM jobs")).mappings().one()
        theirs = text(f"SELECT * FROM {queue_views(connection)['jobs']}")  # noqa: S608 - the kit's
        original = connection.execute(theirs).mappings().one()
    same = [name for name in mine if name not in {"status", "tenant_id", "created_by"}]
    assert {name: mine[name] for name in same} == {name: original[name] for name in same}


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
