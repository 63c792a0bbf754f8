"""A sync loses nothing and deletes nothing wrongly though its workers are killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.synced import Campaign, Plan, faults_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.target import Target

# More kills than the task has attempts: those after which it got on do not add up.
PLAN = Plan(customers=12_000, kills=4, more_kills=1, vanished=40, limit_seconds=100)


def test_a_sync_survives_kills_and_reads_no_page_twice_but_for_those(
    target: Target, tmp_path: Path
) -> None:
    result = Campaign(target, tmp_path, PLAN, seed=9).run()
    assert faults_of(PLAN, result) == [], result
