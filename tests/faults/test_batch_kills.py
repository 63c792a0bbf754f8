"""A batch calls back once, after its last member, while workers are killed."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from leasehold.model.batches import BatchCounts, BatchInfo, BatchStatus
from leasehold.model.ids import JobId
from tests.faults.batched import Plan, Result, Watch, run

if TYPE_CHECKING:
    from tests.faults.target import Target

# Members that take so long that a batch outlasts the looks of a busy machine, which kill.
PLAN = Plan(sizes=(300, 40, 120), kills=2, limit_seconds=90, member_seconds=0.1)


def test_each_batch_calls_back_once_after_its_last_member_though_workers_are_killed(
    target: Target,
) -> None:
    result = run(target, PLAN, seed=random.randrange(2**32))
    assert result.wrong == []
    assert (result.batches, result.callbacks) == (3, 3)
    assert result.kills >= 3  # a batch may end before the look that would have killed again


def seen(processed: float = 6.0, *, ended: bool = False, **counts: int) -> BatchInfo:
    given = {"total": 3, "succeeded": 2, "running": 1} | counts
    now = datetime.now(UTC)
    return BatchInfo(
        id=JobId(uuid4()),
        tenant="",
        name=None,
        parent=None,
        meta={},
        status=BatchStatus.SEALED,
        round=1,
        counts=BatchCounts(**given),
        processed=processed,
        total_units=9.0,
        created_by=None,
        created_at=now,
        sealed_at=now,
        failed_at=None,
        cancelled_at=None,
        cancelled_by=None,
        ended_at=now if ended else None,
    )


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (seen(), None),
        (seen(running=2), "do not add up"),
        (seen(succeeded=1, running=2), "ended 2 -> 1"),
        (seen(processed=5.0), "units 6.0 -> 5.0"),
        (seen(total=2, running=0), "total 3 -> 2"),
        (seen(dead=1, running=0), "some failed"),
        (seen(ended=True), "ended too early"),
    ],
)
def test_the_watch_notes_what_ought_not_to_be(second: BatchInfo, said: str | None) -> None:
    result = Result()
    watch = Watch(result, 3)
    watch.look(seen())
    watch.look(second)
    assert [what for what in result.wrong if said and said in what] or result.wrong == []
    assert bool(result.wrong) is (said is not None)


def test_the_watch_wants_it_exact_at_the_end() -> None:
    result = Result()
    Watch(result, 3).conclude(seen(succeeded=3, running=0, processed=9.0), 3)
    assert result.wrong == []
    Watch(result, 3).conclude(seen(succeeded=3, running=0, processed=8.0), 3)
    assert "8.0 units instead of 9" in result.wrong[0]
