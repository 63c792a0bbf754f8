"""Each slot of a schedule is fired once, though those who fire it are many and are killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.slots import Plan, run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.target import Target

PLAN = Plan(schedules=10, minutes=25, kills=5, deaths=0.03, limit_seconds=100)


def test_each_slot_has_one_job_though_those_who_fire_are_killed(
    target: Target, tmp_path: Path
) -> None:
    result = run(target, tmp_path, PLAN, seed=20261115)
    assert result.is_exact, result
    assert result.slots >= PLAN.schedules * PLAN.minutes
    assert result.kills >= 1, "some were killed"
