"""Which slots are run when somebody looks: those in time, and of the missed as was chosen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from leasehold.errors import BadOption
from leasehold.model.schedules import (
    ScheduleInfo,
    make_job,
    plan_firing,
    read_schedule,
    slot_id,
)
from leasehold.scheduling import NO_ID
from tests.conformance.kit import new_job

SIX = datetime(2026, 5, 1, 6, tzinfo=UTC)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)


def schedule(rule: str = "@hourly", **fields: Any) -> ScheduleInfo:
    job = new_job(id=NO_ID, **fields.pop("job", {}))
    wanted = read_schedule(fields.pop("name", "nightly"), rule, job, **fields)
    return ScheduleInfo(
        **wanted.definition(),
        created_at=SIX,
        updated_at=SIX,
        next_at=None,
        last_slot=None,
        last_fired_at=None,
        last_job=None,
        paused_at=None,
        paused_by=None,
        set_by=None,
        version=1,
    )


def planned(given: ScheduleInfo, *, away: timedelta, late: timedelta) -> list[datetime]:
    """Look at six o'clock and a little, when the next slot was so long ago."""
    return plan_firing(given, SIX - away, SIX + late).slots


def hours(*numbers: int) -> list[datetime]:
    return [SIX.replace(hour=number) for number in numbers]


@pytest.mark.parametrize("missed", ["none", "latest", "all"])
def test_a_slot_that_is_in_time_is_run_whatever_is_said_of_missed_ones(missed: str) -> None:
    given = schedule(missed=missed)
    assert planned(given, away=0 * HOUR, late=timedelta(seconds=1)) == hours(6)
    assert planned(given, away=0 * HOUR, late=timedelta(seconds=60)) == hours(6)
    frequent = schedule("every 10s", missed=missed)
    assert len(planned(frequent, away=30 * MINUTE / 60, late=0 * HOUR)) == 4, "each is in time"


def test_after_six_hours_away_none_runs_nothing() -> None:
    assert planned(schedule(missed="none"), away=5 * HOUR, late=10 * MINUTE) == []


def test_after_six_hours_away_latest_runs_once() -> None:
    assert planned(schedule(missed="latest"), away=5 * HOUR, late=10 * MINUTE) == hours(6)
    assert planned(schedule(missed="latest"), away=5 * HOUR, late=10 * HOUR / 3600) == hours(6)


def test_latest_is_the_default() -> None:
    assert planned(schedule(), away=5 * HOUR, late=10 * MINUTE) == hours(6)


def test_after_six_hours_away_all_runs_each() -> None:
    expected = hours(1, 2, 3, 4, 5, 6)
    assert planned(schedule(missed="all"), away=5 * HOUR, late=10 * MINUTE) == expected


def test_all_keeps_to_its_cap_and_prefers_the_newest() -> None:
    given = schedule(missed="all", missed_cap=2)
    assert planned(given, away=5 * HOUR, late=10 * MINUTE) == hours(5, 6)
    assert planned(given, away=5 * HOUR, late=timedelta(seconds=1)) == hours(4, 5, 6), "and in time"


def test_a_long_absence_costs_no_long_computation() -> None:
    given = schedule("* * * * * *", missed="all", missed_cap=3)
    found = planned(given, away=timedelta(days=3650), late=0 * HOUR)
    assert len(found) == 61 + 3
    rare = schedule("0 0 29 2 *", missed="latest")
    assert planned(rare, away=timedelta(days=3650), late=0 * HOUR) == [
        datetime(2024, 2, 29, tzinfo=UTC)
    ]


def test_the_next_slot_is_one_whose_time_has_not_come() -> None:
    plan = plan_firing(schedule(), SIX, SIX + 5 * HOUR)
    assert plan.following == SIX + 6 * HOUR


def test_the_slot_that_was_to_come_counts_though_newer_zone_data_would_not_have_it() -> None:
    odd = SIX + timedelta(minutes=7)
    assert plan_firing(schedule(), odd, odd).slots == [odd]
    late = plan_firing(schedule(missed="all"), odd, odd + 2 * HOUR).slots
    assert late == [odd, SIX + HOUR, SIX + 2 * HOUR]


# -- the jobs --------------------------------------------------------------------------------------
def test_whoever_builds_a_slots_job_builds_the_same_one() -> None:
    given = schedule(jitter="10m")
    assert make_job(given, SIX) == make_job(given, SIX)
    assert make_job(given, SIX).id != make_job(given, SIX + HOUR).id
    assert make_job(given, SIX).id != make_job(schedule(name="other"), SIX).id
    assert make_job(given, SIX).id != make_job(schedule(job={"tenant": "acme"}), SIX).id


def test_a_job_id_carries_its_slots_time() -> None:
    milliseconds = slot_id(schedule(), SIX).int >> 80
    assert milliseconds == SIX.timestamp() * 1000
    assert slot_id(schedule(), SIX).version == 7


def test_jitter_spreads_the_slots_evenly_over_its_time() -> None:
    given = schedule("every 1m", jitter="10s")
    delays = []
    for number in range(500):
        slot = SIX + number * MINUTE
        run_at = make_job(given, slot).run_at
        assert run_at is not None
        delays.append((run_at - slot).total_seconds())
    assert min(delays) >= 0
    assert max(delays) < 10
    assert 4 < sum(delays) / len(delays) < 6


def test_without_jitter_a_job_is_due_at_its_slot_and_a_delay_is_added() -> None:
    assert make_job(schedule(), SIX).run_at == SIX
    delayed = make_job(schedule(job={"delay_seconds": 90.0}), SIX)
    assert (delayed.run_at, delayed.delay_seconds) == (SIX + timedelta(seconds=90), None)


def test_a_job_says_which_schedule_made_it_unless_somebody_is_named() -> None:
    assert make_job(schedule(), SIX).created_by == "schedule nightly"
    assert make_job(schedule(job={"created_by": "ada"}), SIX).created_by == "ada"


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ({"missed": "some"}, "missed"),
        ({"missed_cap": 0}, "missed_cap"),
        ({"missed_cap": 1001}, "missed_cap"),
        ({"missed_cap": True}, "missed_cap"),
        ({"dst": "twice"}, "dst"),
        ({"zone": "Nowhere"}, "zone"),
        ({"jitter": "2d"}, "jitter"),
        ({"jitter": -1}, "jitter"),
        ({"job": {"run_at": SIX}}, "run_at"),
    ],
)
def test_what_makes_no_sense_is_refused(said: dict[str, Any], word: str) -> None:
    with pytest.raises(BadOption, match=word):
        schedule(**said)
