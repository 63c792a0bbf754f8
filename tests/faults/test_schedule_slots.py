"""Each slot of a schedule is fired once, though those who fire it are many and are killed."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.upkeep.schedules import Firings
from tests.faults.dying_hand import POINTS
from tests.faults.slots import Plan, run
from tests.faults.slots_worker import note
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.target import Target

PLAN = Plan(schedules=10, minutes=25, kills=5, deaths=0.03, limit_seconds=100)
HOUR_SECONDS = 3600.0


def test_each_slot_has_one_job_though_those_who_fire_are_killed(
    target: Target, tmp_path: Path
) -> None:
    result = run(target, tmp_path, PLAN, seed=20261115)
    assert result.is_exact, result
    assert result.slots >= PLAN.schedules * PLAN.minutes
    assert result.kills >= 1, "some were killed"


@pytest.mark.parametrize("point", POINTS)
def test_a_kill_at_this_point_of_a_firing_loses_and_doubles_nothing(
    target: Target, client: lh.Client, point: str
) -> None:
    client.store.skew_seconds = (30 - client.store.now().minute) * 60.0  # half past
    client.schedules.set("hourly", "@hourly", note)
    client.store.skew_seconds += HOUR_SECONDS
    words = [target.url, point, str(client.store.skew_seconds)]
    killed = subprocess.run([sys.executable, "-m", "tests.faults.dying_hand", *words], check=False)
    assert killed.returncode == -signal.SIGKILL
    hand = Firings(client.store, clock=time.monotonic)

    def is_over() -> bool:
        """Fire what the dead one left; PostgreSQL may still be at what it sent."""
        hand.expect(0.0)
        hand.step()
        next_at = client.schedules.get("hourly").next_at
        return next_at is not None and next_at > client.store.now()

    wait_until(is_over, "the slot is fired")
    assert len(client.find(kind=note)) == 1
