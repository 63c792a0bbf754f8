"""A queue's limit holds while its workers are killed and it is changed, and no slot is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.limited import LAST, LIMITS, run
from tests.faults.throttled import Plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.target import Target

PLAN = Plan(jobs=400, keys=1, kills=4, workers=3, limit_seconds=60)


def test_no_more_of_a_queue_run_than_its_limit_though_workers_are_killed(
    target: Target, tmp_path: Path
) -> None:
    result = run(target.url, tmp_path, PLAN, seed=20261116)
    assert result.most <= max(LIMITS)
    assert result.most_at_last == LAST, "as many as may, and no more"
    assert result.left == 0
