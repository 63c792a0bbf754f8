"""A job that kills its worker ends dead, and takes nobody with it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from leasehold.model.ids import Fence, JobId
from leasehold.model.values import Claim
from leasehold.worker.attempt import attempt_of
from leasehold.worker.book import Book
from tests.faults.fleet import Fleet
from tests.faults.history import read_history
from tests.faults.odd_tasks import innocent, poison
from tests.faults.waiting import wait_for
from tests.faults.worker_main import WorkerOptions

if TYPE_CHECKING:
    from pathlib import Path

    import leasehold as lh
    from tests.faults.target import Target

INNOCENTS = 499
MAX_ATTEMPTS = 2


def test_the_next_suspect_waits_until_the_last_ones_end_is_written() -> None:
    """Were it to kill the worker before that, the last one would be charged for it."""
    fields = {"kind": "x", "queue": "x", "args": "{}", "attempt": 2, "failures": 0, "lapses": 1}
    limits = {"max_attempts": 1, "timeout_seconds": 60.0, "lease_seconds": 60.0}
    rest = {"tenant": "", "priority": 0}
    claim = Claim(job_id=JobId(uuid4()), fence=Fence(1), **fields, **limits, **rest)  # type: ignore[arg-type]
    attempt = attempt_of(claim, innocent, 0.0)
    book = Book()
    book.add([attempt])
    book.start(attempt, 0.0)
    assert book.end(attempt)
    assert book.suspects == 1
    book.strike([attempt])
    assert book.suspects == 0


@pytest.mark.parametrize("how", ["kill", "exit"])
def test_a_job_that_kills_its_worker_dies_after_one_death_more_than_its_attempts_and_alone(
    target: Target, client: lh.Client, tmp_path: Path, how: str
) -> None:
    calls = [innocent.call() for _ in range(INNOCENTS)]
    calls.insert(INNOCENTS // 2, poison.call(how))
    client.enqueue_many(calls)
    options = WorkerOptions(
        url=target.url, tasks="tests.faults.odd_tasks", slots=INNOCENTS + 1, lease=1.0, poll=0.1
    )
    deaths: list[int | None] = []

    def has_ended() -> bool:
        deaths.extend(member.exit_code for member in fleet.tend())
        return target.count_live() == 0

    with Fleet(options, tmp_path, 2) as fleet:
        wait_for("end of all jobs", has_ended, 60)
        deaths.extend(member.exit_code for member in fleet.tend())
        fleet.stop()

    history = read_history(target.url, {})
    kinds = {job.id: job.kind for job in history.jobs}
    first = [each for each in history.outcomes if each.attempt == 1]
    assert len(first) == INNOCENTS + 1
    assert len({each.fence for each in first}) == 1, "they were claimed together"
    assert {each.state for each in first} == {"lapsed"}
    ends = [each for each in history.outcomes if kinds[each.job_id] == "poison"]
    assert [each.state for each in ends] == ["lapsed"] * MAX_ATTEMPTS + ["dead"]
    assert deaths == [-9 if how == "kill" else 3] * (MAX_ATTEMPTS + 1)
    others = [each for each in history.outcomes if kinds[each.job_id] == "innocent"]
    assert sum(each.state == "succeeded" for each in others) == INNOCENTS
    assert {each.failures for each in others} == {0}
