"""The campaign of `make faults` in short, on both stores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.faults.campaign import Campaign, Plan
from tests.faults.target import postgres_target, sqlite_target

if TYPE_CHECKING:
    from pathlib import Path

PLAN = Plan(
    jobs=700,
    kills=10,
    stops=3,
    crashes=1,
    seed=20261115,
    workers=4,
    lease_seconds=1.5,
    most_delay_seconds=3.0,
    limit_seconds=100,
)


def test_on_postgres_killed_and_stopped_workers_and_a_crash_lose_and_double_nothing(
    tmp_path: Path,
) -> None:
    with postgres_target() as target:
        campaign = Campaign(PLAN, target, tmp_path)
        figures = campaign.run()
    assert campaign.violations == []
    assert figures.lapses > 0
    print(figures.table())


def test_on_sqlite_killed_and_stopped_workers_lose_and_double_nothing(tmp_path: Path) -> None:
    plan = replace(PLAN, crashes=0, most_inside_ms=2)
    with sqlite_target(tmp_path) as target:
        campaign = Campaign(plan, target, tmp_path)
        figures = campaign.run()
    assert campaign.violations == []
    assert figures.lapses > 0
    print(figures.table())
