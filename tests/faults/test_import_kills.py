"""An import counts every line once though its worker is killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.imported import Plan, run
from tests.links.large import Large

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.target import Target

# Large enough to be read by a process of its own, beside SQLite.
PLAN = Plan(file=Large(lines=8_000), kills=2, limit_seconds=100)


def test_every_line_is_counted_once_though_the_worker_is_killed(
    target: Target, tmp_path: Path
) -> None:
    result = run(target, tmp_path, PLAN)
    assert result.counts == PLAN.expected
    assert (result.went_back, result.kills) == ([], PLAN.kills)
