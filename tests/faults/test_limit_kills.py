"""A queue's limit and a tenant's quota hold while workers are killed, and no slot is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.faults.limited import LAST, LIMITS, run
from tests.faults.throttled import Plan

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.target import Target

PLAN = Plan(jobs=400, keys=1, kills=4, workers=3, limit_seconds=60)


@pytest.mark.parametrize("what", ["queue", "tenant"])
def test_no_more_run_than_the_limit_though_workers_are_killed(
    target: Target, tmp_path: Path, what: str
) -> None:
    result = run(target.url, tmp_path, PLAN, what=what, seed=20261116)
    assert result.most <= max(LIMITS)
    assert result.most_at_last == LAST, "as many as may, and no more"
    assert result.left == 0
