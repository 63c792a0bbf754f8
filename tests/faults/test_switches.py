"""Presets are switched while chats come and jobs run."""

from __future__ import annotations

from pathlib import Path

from tests.faults.switched import Campaign, Plan, faults_of

PLAN = Plan(switches=10, chatters=2, limit_seconds=120)


def test_switches_under_load_lose_nothing_cross_nothing_and_refuse_no_chat(tmp_path: Path) -> None:
    result = Campaign(tmp_path, PLAN).run()
    assert faults_of(PLAN, result) == [], result
