"""`jobs` shows the queue as the seed numbers it, and who asks what waits reads that alone."""

from __future__ import annotations

from typing import Any, Final

import pytest

import leasehold as lh
from leasehold.kit.data import Database, driver_connection

WAITING: Final = """
SELECT id, kind
FROM jobs
WHERE status = 0 AND run_after <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '+1 second')
ORDER BY run_after, id
"""


@lh.task(queue="memory", max_attempts=2, retry=lh.fixed("1h"))
def remember(unit_id: int, *, how: str = "well") -> str:
    """Do what the test says."""
    if how == "badly":
        raise ValueError("no such memory")
    if how == "never":
        raise lh.Dead("not this one")
    if how == "later":
        raise lh.Snooze("1h")
    return f"remembered {unit_id}"


def row(database: Database, enqueued: lh.Enqueued[Any]) -> dict[str, Any]:
    with database.read() as connection:
        statement = "SELECT * FROM jobs WHERE id = ?"
        return dict(connection.exec_driver_sql(statement, (str(enqueued.id),)).mappings().one())


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("well", (2, 0, None)),
        ("badly", (0, 1, "ValueError: no such memory")),
        ("never", (3, 1, "Dead: not this one")),
        ("later", (0, 0, None)),
    ],
)
def test_a_job_that_was_run_has_the_seed_s_status(
    queue: lh.Client, database: Database, how: str, expected: tuple[int, int, str | None]
) -> None:
    job = queue.enqueue(remember, 7, how=how)
    lh.Worker(queue, [remember]).run(until_empty=True)
    found = row(database, job)
    assert (found["status"], found["tries"], found["last_error"]) == expected


def test_a_job_that_waits_or_runs_or_was_cancelled_is_told_apart(
    queue: lh.Client, database: Database
) -> None:
    waiting = queue.enqueue(remember, 1)
    cancelled = queue.enqueue(remember, 2)
    queue.cancel(cancelled.id)
    found = row(database, waiting)
    assert list(found) == [
        *("id", "kind", "payload", "status", "run_after", "tries", "last_error"),
        *("created_at", "updated_at"),
    ]
    assert (found["kind"], found["status"], found["tries"]) == (remember.name, 0, 0)
    assert '"unit_id":1' in found["payload"]
    assert row(database, cancelled)["status"] == 3
    seen = []

    @lh.task(queue="memory", name="looks")
    def looks() -> None:
        seen.append(row(database, looking)["status"])

    looking = queue.enqueue(looks)
    lh.Worker(queue, [looks]).run(until_empty=True)
    assert seen == [1]


def test_the_seed_s_query_gives_what_is_due_in_its_order(
    queue: lh.Client, database: Database
) -> None:
    queue.enqueue(remember.with_options(delay="1h"), 1)
    due = [queue.enqueue(remember, each) for each in range(5)]
    with database.read() as connection:
        found = connection.exec_driver_sql(WAITING).all()
    assert [each.id for each in found] == [str(each.id) for each in due]


def test_what_waits_is_read_without_reading_what_is_done(
    queue: lh.Client, database: Database
) -> None:
    def steps() -> int:
        count = 0

        def tick() -> None:
            nonlocal count
            count += 1

        with database.read() as connection:
            driver = driver_connection(connection)
            driver.set_progress_handler(tick, 1)
            assert len(driver.execute(WAITING).fetchall()) == 1
            driver.set_progress_handler(None, 0)
        return count

    def do(jobs: int) -> None:
        queue.enqueue_many(remember.call(each) for each in range(jobs))
        lh.Worker(queue, [remember]).run(until_empty=True)

    do(1)
    queue.enqueue(remember.with_options(queue="elsewhere"), 0)
    few = steps()
    do(200)
    assert steps() == few
