"""The verdict: the worst first, each with what to do."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from leasehold.model.alerts import Alert
from leasehold.model.ids import WorkerId
from leasehold.model.lanes import QueueInfo, ThrottleInfo
from leasehold.model.schedules import ScheduleInfo
from leasehold.model.statistics import Depth, Overview, activity_of, sum_depths
from leasehold.model.values import WorkerInfo
from leasehold.web.dashboard.health import Signs, Verdict, judge

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
WORKER = WorkerInfo(
    id=WorkerId(1), name="w", queues=("mail",), kinds=(), slots=4, version="1", seen_at=NOW
)


def overview(*depths: Depth, **facts: int) -> Overview:
    depth = sum_depths(depths, NOW)
    whole = activity_of([], 3_600)
    counts = whole.counts | facts
    good = sum(facts.values()) or 1
    rate = sum(counts[fact] for fact in ("failed", "dead", "lapsed")) / good
    return Overview(
        at=NOW,
        sampled_at=NOW,
        window_seconds=3_600,
        queues=list(depths),
        depth=depth,
        workers=1,
        slots=4,
        activity=msgspec.structs.replace(whole, counts=counts, failure_rate=rate),
        by_queue=[],
        by_kind=[],
        in_queue=depth.in_queue,
        failed_24h=0,
        average_seconds=None,
    )


def look(found: Overview | None = None, **signs: Any) -> Verdict:
    known: dict[str, Any] = {
        "now": NOW,
        "overview": found or overview(),
        "workers": [WORKER],
        "queues": [],
        "throttles": [],
        "schedules": [],
        "parked": {},
    }
    return judge(Signs(**(known | signs)))


def waiting(queue: str, *, oldest: float = 1.0, **counts: int) -> Depth:
    return Depth(at=NOW, queue=queue, oldest_seconds=oldest, **({"ready": 5} | counts))


def test_an_idle_queue_is_healthy() -> None:
    assert look() == Verdict(level="ok", text="Healthy: nothing is waiting", troubles=[])


def test_jobs_without_any_worker_are_a_problem_and_no_jobs_a_warning() -> None:
    assert look(overview(waiting("mail")), workers=[]).level == "problem"
    assert look(workers=[]).level == "warning"


def test_a_queue_that_nobody_serves_is_named() -> None:
    (trouble,) = look(overview(waiting("other"))).troubles
    assert trouble.level == "problem"
    assert "5 jobs in other" in trouble.text
    assert trouble.query == {"queue": "other", "state": "queued"}


def test_a_queue_that_lags_asks_for_workers_only_when_all_slots_are_in_use() -> None:
    (idle,) = look(overview(waiting("mail", oldest=600))).troubles
    assert "does not start" in idle.remedy
    (busy,) = look(overview(waiting("mail", oldest=600, running=4))).troubles
    assert "start more workers" in busy.remedy


def test_a_pause_is_no_trouble_but_told() -> None:
    pause = QueueInfo(
        name="mail",
        paused_until=NOW + timedelta(hours=1),
        pause_reason="stocktaking",
        paused_by="mia",
        aging_seconds=None,
    )
    verdict = look(overview(waiting("mail", oldest=600)), queues=[pause])
    assert verdict.level == "note"
    assert [each.level for each in verdict.troubles] == ["note"]
    assert "stocktaking" in verdict.troubles[0].text


def test_a_paused_throttle_is_told_with_what_waits() -> None:
    throttle = ThrottleInfo(
        name="domain:a",
        running_limit=1,
        per_worker=None,
        rate=None,
        burst=None,
        tokens=None,
        paused_until=NOW + timedelta(hours=1),
        pause_reason=None,
        paused_by=None,
        set_by=None,
        running=0,
        waiting=3,
    )
    assert "3 jobs wait" in look(throttles=[throttle]).troubles[0].text


@pytest.mark.parametrize(("dead", "level"), [(1, "warning"), (11, "problem")])
def test_deaths_are_a_warning_and_many_a_problem(dead: int, level: str) -> None:
    verdict = look(overview(dead=dead, succeeded=1_000))
    assert verdict.level == level
    assert verdict.troubles[0].path == "/failures"


def test_a_high_failure_rate_and_lapses_are_told() -> None:
    assert "50%" in look(overview(failed=20, succeeded=20)).troubles[0].text
    assert "2 leases lapsed" in look(overview(lapsed=2, succeeded=100)).troubles[0].text


def test_an_alert_that_fires_is_told_unless_the_verdict_says_so_anyway() -> None:
    alert = Alert(
        name="depth",
        subject="mail",
        level="warning",
        is_firing=True,
        since=NOW,
        value=200,
        bound=100,
        seen_at=NOW,
        told_at=None,
    )
    (trouble,) = look(alerts=[alert]).troubles
    assert (trouble.level, trouble.text) == ("warning", f"Alert: {alert.text}")
    assert look(alerts=[msgspec.structs.replace(alert, name="dead")]).troubles == []


def test_unknown_kinds_are_told() -> None:
    assert "7 jobs of kind old" in look(parked={"old": 7}).troubles[0].text


def test_a_late_schedule_is_a_problem_and_comes_before_warnings() -> None:
    late = ScheduleInfo(
        name="nightly",
        rule="@daily",
        job={"kind": "k"},
        created_at=NOW,
        updated_at=NOW,
        next_at=NOW - timedelta(minutes=5),
        last_slot=None,
        last_fired_at=None,
        last_job=None,
        paused_at=None,
        paused_by=None,
        set_by=None,
        version=1,
    )
    verdict = look(overview(dead=1, succeeded=1_000), schedules=[late])
    assert [each.level for each in verdict.troubles] == ["problem", "warning"]
    assert verdict.text == "Needs attention: 1 problem"
