"""Why a job does not run, from what is known of it: pure, so every rule is tried here."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold.model.causes import Reason
from leasehold.model.facts import (
    COUNT_LIMIT,
    ENDED,
    LEASE,
    PARKED,
    READY,
    SCHEDULED,
    WAITING,
    Facts,
    FleetFacts,
    Halt,
    LaneFacts,
)
from leasehold.model.ids import JobId
from leasehold.model.why import Why, explain

ID = JobId(UUID("0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"))
OTHER = JobId(UUID("0192f0c1-2a3b-7c4d-8e5f-60718293a4b6"))
NOW = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
SOON, LONG_AGO = NOW + timedelta(minutes=5), NOW - timedelta(hours=2)
FLEET: dict[str, Any] = {
    "alive": 2,
    "serving": 2,
    "knowing": 2,
    "slots": 32,
    "busy": 3,
    "queues": ("mail",),
}
LANE: dict[str, Any] = {
    "key": "domain:a.com",
    "is_known": True,
    "running": 2,
    "room": 0,
    "running_limit": 2,
    "jobs": (OTHER,),
}


def fleet(**fields: Any) -> FleetFacts:
    return FleetFacts(**(FLEET | fields))


def lane(**fields: Any) -> LaneFacts:
    return LaneFacts(**(LANE | fields))


def facts(**fields: Any) -> Facts:
    usual: dict[str, Any] = {
        "job_id": ID,
        "moment": NOW,
        "place": READY,
        "state": "queued",
        "queue": "mail",
        "kind": "greet",
        "priority": 0,
        "attempt": 0,
        "failures": 0,
        "lapses": 0,
        "max_attempts": 5,
        "fleet": fleet(),
    }
    return Facts(**(usual | fields))


def why(**fields: Any) -> Why:
    return explain(facts(**fields))


def ended(state: str, **fields: Any) -> Why:
    return why(place=ENDED, state=state, last_outcome=state, finished_at=LONG_AGO, **fields)


def running(**fields: Any) -> Why:
    usual = {"worker": "w-1", "claimed_at": LONG_AGO, "lease_until": SOON, "attempt": 2}
    return why(place=LEASE, state="running", **(usual | fields))


def later(**fields: Any) -> Why:
    return why(place=SCHEDULED, **({"run_at": SOON} | fields))


def in_lane(**fields: Any) -> Why:
    return why(place=WAITING, state="blocked", **({"lane": lane()} | fields))


# -- ended ---------------------------------------------------------------------------------------
def test_a_job_that_succeeded_has_nothing_left_to_do() -> None:
    said = ended("succeeded")
    assert (said.reason, said.text) == (Reason.SUCCEEDED, "succeeded at 2030-01-02 01:04:05 UTC")


def test_a_dead_job_says_what_killed_it_and_how_to_run_it_again() -> None:
    said = ended("dead", failures=5, error="ValueError: no such user\nmore")
    assert said.reason is Reason.DEAD
    assert said.text.endswith("after 5 of 5 failures: ValueError: no such user")
    assert f"`leasehold jobs retry {ID}`" in said.advice


def test_a_cancelled_job_says_by_whom() -> None:
    said = ended("cancelled", error="cancelled by ada")
    assert (said.reason, said.text) == (
        Reason.CANCELLED,
        "cancelled by ada, at 2030-01-02 01:04:05 UTC",
    )
    assert ended("cancelled").text.startswith("cancelled, at")


def test_a_replaced_job_names_the_one_that_has_its_key() -> None:
    said = ended("cancelled", error=f"replaced by job {OTHER}")
    assert said.reason is Reason.REPLACED
    assert f"`leasehold why {OTHER}`" in said.advice


# -- running -------------------------------------------------------------------------------------
def test_a_running_job_says_where_and_since_when() -> None:
    said = running()
    assert said.reason is Reason.RUNNING
    assert said.text == "runs on w-1 since 2030-01-02 01:04:05 UTC, attempt 2"


def test_one_that_was_told_to_stop_says_by_whom() -> None:
    said = running(cancel_requested=True, cancelled_by="ada")
    assert (said.reason, said.text) == (
        Reason.STOPPING,
        "runs on w-1, and was told to stop by ada",
    )
    assert running(cancel_requested=True).text.endswith("told to stop")


@pytest.mark.parametrize(("alive", "advice"), [(1, "wait"), (0, "start a worker")])
def test_one_whose_lease_ended_is_not_said_to_run(alive: int, advice: str) -> None:
    said = running(lease_until=LONG_AGO, cancel_requested=True, fleet=fleet(alive=alive))
    assert said.reason is Reason.LAPSED
    assert said.advice.startswith(advice)


# -- for later -----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, Reason.SCHEDULED),
        ({"last_outcome": "failed", "failures": 2, "error": "Boom"}, Reason.RETRYING),
        ({"last_outcome": "lapsed", "failures": 1, "lapses": 2}, Reason.RETRYING),
        ({"last_outcome": "lapsed", "lapses": 1}, Reason.RECLAIMED),
        ({"last_outcome": "snoozed", "failures": 2}, Reason.SNOOZED),
        ({"run_at": LONG_AGO, "last_outcome": "failed", "failures": 1}, Reason.DUE),
    ],
)
def test_a_job_for_later_says_what_it_waits_for(fields: dict[str, Any], reason: Reason) -> None:
    said = later(**fields)
    assert said.reason is reason
    assert said.until == (None if reason is Reason.DUE else SOON)


def test_a_retry_says_what_failed_and_how_to_run_it_now() -> None:
    said = later(last_outcome="failed", failures=2, error="Boom")
    assert said.text == (
        "failed 2 of 5 times, last with: Boom; next try at 2030-01-02 03:09:05 UTC"
    )
    assert f"`leasehold jobs retry {ID}`" in said.advice


def test_what_will_hold_it_up_when_it_is_due_comes_along() -> None:
    nobody = fleet(alive=0, serving=0, knowing=0, slots=0, busy=0)
    assert [each.reason for each in later(fleet=nobody).also] == [Reason.NO_WORKER]
    for until, also in ((SOON, []), (None, [Reason.QUEUE_PAUSED])):
        said = later(queue_pause=Halt(name="mail", until=until))
        assert [each.reason for each in said.also] == also


# -- who could take it ---------------------------------------------------------------------------
def test_nothing_in_the_way_is_said_too() -> None:
    said = why()
    assert (said.reason, said.also) == (Reason.NEXT, ())


def test_a_paused_queue_says_until_when_by_whom_and_why() -> None:
    said = why(queue_pause=Halt(name="mail", until=SOON, by="ada", reason="deploy"))
    assert (said.reason, said.until) == (Reason.QUEUE_PAUSED, SOON)
    assert said.text == "queue mail is paused until 2030-01-02 03:09:05 UTC by ada (deploy)"
    assert "`leasehold queues resume mail`" in said.advice
    assert why(queue_pause=Halt(name="mail")).text == "queue mail is paused until it is resumed"


def test_workers_that_are_missing_are_told_apart() -> None:
    none = fleet(alive=0, serving=0, knowing=0, slots=0, busy=0, queues=())
    elsewhere = fleet(serving=0, knowing=0, slots=0, busy=0, queues=("bulk", "default"))
    strangers = fleet(knowing=0, slots=0, busy=0)
    assert why(fleet=none).reason is Reason.NO_WORKER
    assert why(fleet=elsewhere).text == (
        "no worker serves queue mail: 2 workers are alive, for bulk, default"
    )
    assert why(fleet=strangers).text == "2 workers serve queue mail, and none knows kind greet"
    assert why(fleet=strangers, place=PARKED).text.endswith(": the job is set aside")
    assert "leasehold work your.tasks --queue mail" in why(fleet=elsewhere).advice


@pytest.mark.parametrize(("busy", "reason"), [(31, Reason.NEXT), (32, Reason.NO_SLOT)])
def test_no_free_slot_is_a_reason(busy: int, reason: Reason) -> None:
    assert why(fleet=fleet(busy=busy)).reason is reason


# -- its throttle --------------------------------------------------------------------------------
def test_a_rule_that_nobody_declared_says_how_to_declare_it() -> None:
    said = in_lane(lane=lane(is_known=False, running_limit=None))
    assert [said.reason, *(each.reason for each in said.also)] == [Reason.THROTTLE_UNKNOWN]
    assert "`leasehold throttles set domain --running 2`" in said.advice


def test_a_paused_throttle_names_what_is_paused() -> None:
    said = in_lane(lane=lane(pause=Halt(name="domain", until=SOON, reason="429")))
    assert (said.reason, said.until) == (Reason.THROTTLE_PAUSED, SOON)
    assert said.text == "throttle domain is paused until 2030-01-02 03:09:05 UTC (429)"
    assert said.also == ()  # that there is no room says nothing while it is paused


def test_a_full_throttle_names_the_jobs_that_run() -> None:
    said = in_lane()
    assert (said.reason, said.jobs) == (Reason.THROTTLED, (OTHER,))
    assert said.text == "throttled: 2 are running of 2 that domain:a.com may"
    assert "`leasehold throttles set domain:a.com --running 3`" in said.advice


@pytest.mark.parametrize(
    ("limits", "text", "option"),
    [
        ({"running_limit": 0, "running": 0}, "may run none at all", "--running 1"),
        ({"running_limit": None, "per_worker": 2}, "each worker runs the 2", "--per-worker 3"),
        ({"running_limit": 9, "per_worker": 1}, "each worker runs the 1", "--per-worker 2"),
    ],
)
def test_it_is_the_limit_that_is_reached_which_is_to_be_raised(
    limits: dict[str, Any], text: str, option: str
) -> None:
    said = in_lane(lane=lane(**limits))
    assert text in said.text
    assert option in said.advice


def test_a_lane_with_room_is_no_reason() -> None:
    assert in_lane(lane=lane(room=1, running=1)).reason is Reason.NEXT


def rate(tokens: float, **fields: Any) -> Why:
    open_lane = lane(room=9, running_limit=None, rate=2.0, burst=10.0, tokens=tokens)
    return in_lane(lane=open_lane, **fields)


def test_a_rate_that_is_used_up_says_until_when() -> None:
    said = rate(0.0, cost=4.0)
    assert (said.reason, said.until) == (Reason.RATE, NOW + timedelta(seconds=2))
    assert "0 of 10 left, 4 needed" in said.text
    assert rate(4.0, cost=4.0).reason is Reason.NEXT


def test_a_cost_over_the_burst_needs_a_full_bucket() -> None:
    assert rate(10.0, cost=50.0).reason is Reason.NEXT
    assert rate(9.0, cost=50.0).until == NOW + timedelta(seconds=0.5)


def test_a_job_that_costs_nothing_still_waits_for_a_debt() -> None:
    assert rate(-2.0, cost=0.0).until == NOW + timedelta(seconds=1)
    assert rate(0.5, cost=0.0).reason is Reason.NEXT


def test_a_debt_without_an_end_in_our_calendar_is_no_error() -> None:
    assert rate(-1e300).until is None


# -- its turn ------------------------------------------------------------------------------------
def test_a_suspect_says_that_it_runs_alone() -> None:
    said = why(lapses=1, before=2)
    assert said.reason is Reason.SUSPECT
    assert "2 such jobs stand before it" in said.text
    assert said.also == ()


def test_a_share_waits_for_its_turn() -> None:
    said = why(place=WAITING, share="user:7", shares=3)
    assert said.reason is Reason.TURN
    assert "3 other shares have jobs waiting" in said.text
    assert why(place=WAITING, share="user:7").reason is Reason.NEXT


def test_those_before_it_are_counted() -> None:
    said = why(before=37, top_priority=4)
    assert (said.reason, said.text) == (Reason.IN_LINE, "37 jobs of its queue stand before it")
    assert "--priority 5" in said.advice
    assert why(before=1, priority=-3, top_priority=0).text.startswith("1 job of its queue stands")
    assert "--priority 1" in why(before=1, priority=-3, top_priority=0).advice
    assert why(before=COUNT_LIMIT).text.startswith("1,000 or more jobs")
    assert "of its lane" in why(place=WAITING, share="ada", before=2).text


def test_one_behind_the_running_job_of_its_key_names_it() -> None:
    said = why(place=WAITING, stage="#", key="sync:shop", behind=OTHER)
    assert (said.reason, said.jobs) == (Reason.BEHIND, (OTHER,))
    assert "'sync:shop'" in said.text
    assert f"`leasehold jobs cancel {OTHER}`" in said.advice


# -- all of them ---------------------------------------------------------------------------------
def test_names_that_a_shell_would_take_for_more_are_quoted() -> None:
    said = why(queue_pause=Halt(name="a; rm -rf ~"))
    assert "`leasehold queues resume 'a; rm -rf ~'`" in said.advice


def test_the_first_reason_stands_and_all_others_come_along() -> None:
    said = in_lane(
        queue_pause=Halt(name="mail"), fleet=fleet(busy=32), share="ada", shares=1, before=4
    )
    assert said.reason is Reason.QUEUE_PAUSED
    assert [each.reason for each in said.also] == [
        Reason.THROTTLED,
        Reason.NO_SLOT,
        Reason.TURN,
        Reason.IN_LINE,
    ]


def test_as_text_it_is_the_sentence_and_the_advice() -> None:
    said = why(before=3)
    assert str(said) == f"{said.text}\n{said.advice}"


PLACES = {
    READY: ["queued"],
    PARKED: ["queued"],
    WAITING: ["queued", "blocked"],
    SCHEDULED: ["queued", "failed"],
    LEASE: ["running"],
    ENDED: ["succeeded", "dead", "cancelled"],
}
numbers = st.integers(0, 3)
moments = st.sampled_from([None, LONG_AGO, NOW, SOON])


@given(
    stands=st.sampled_from([(place, state) for place in PLACES for state in PLACES[place]]),
    last=st.sampled_from([None, "failed", "snoozed", "released", "lapsed", "dead"]),
    counts=st.tuples(*itertools.repeat(numbers, 6)),
    moment=moments,
    throttle=st.none() | st.builds(lane, room=numbers, tokens=st.none() | st.floats(-5, 5)),
    pause=st.none() | st.builds(Halt, name=st.just("mail"), until=moments),
)
def test_every_job_has_a_reason(
    *,
    stands: tuple[str, str],
    last: str | None,
    counts: tuple[int, ...],
    moment: datetime | None,
    throttle: LaneFacts | None,
    pause: Halt | None,
) -> None:
    place, state = stands
    failures, lapses, before, alive, serving, knowing = counts
    said = why(
        place=place,
        state=state,
        last_outcome=last,
        failures=failures,
        lapses=lapses,
        before=before,
        run_at=moment,
        lease_until=moment,
        lane=throttle,
        queue_pause=pause,
        fleet=fleet(alive=alive, serving=serving, knowing=knowing),
    )
    assert said.text
    assert said.advice
    reasons = [said.reason, *(each.reason for each in said.also)]
    assert len(set(reasons)) == len(reasons)
