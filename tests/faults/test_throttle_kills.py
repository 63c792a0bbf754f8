"""A throttle holds while its workers are killed, and nothing sticks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.throttled import Plan, run
from tests.faults.throttled_worker import LIMIT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.target import Target

PLAN = Plan(jobs=1_500, keys=40, kills=6, blocked=500, limit_seconds=100)


OWN_PLAN = Plan(jobs=900, keys=20, kills=4, limit_seconds=100, has_tenants=True)


def test_tenants_with_one_key_run_side_by_side_each_within_its_own_limit_under_kills(
    target: Target, tmp_path: Path
) -> None:
    result = run(target.url, tmp_path, OWN_PLAN, seed=20261116)
    assert result.most == LIMIT, "as many of each tenant as may, and no more"
    assert LIMIT < result.most_together <= 2 * LIMIT, "neither waits for the other"
    assert (result.succeeded, result.left) == (OWN_PLAN.jobs, 0)


def test_of_a_key_no_more_than_its_limit_ever_run_though_workers_are_killed(
    target: Target, tmp_path: Path
) -> None:
    result = run(target.url, tmp_path, PLAN, seed=20261115)
    assert result.most == LIMIT, "as many as may, and no more"
    assert (result.succeeded, result.left) == (PLAN.jobs, PLAN.blocked)
