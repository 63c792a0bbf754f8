"""Finish: each outcome has its effect, each settlement its answer, and the fence decides."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.ids import Fence
from leasehold.model.states import State
from leasehold.model.values import Settlement
from leasehold.store.base import Answer
from tests.conformance.kit import (
    LATER_SECONDS,
    OTHER,
    WORKER,
    claim,
    claim_one,
    fail,
    look,
    new_id,
    pass_time,
    promote,
    raw,
    settle,
    settlement,
    start_many,
    start_one,
    start_suspect,
)
from tests.conformance.tables import places

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

OUTCOMES = ("succeeded", "failed", "snoozed", "released", "cancelled", "dead")
STATES = {
    "succeeded": State.SUCCEEDED,
    "failed": State.FAILED,
    "snoozed": State.QUEUED,
    "released": State.QUEUED,
    "cancelled": State.CANCELLED,
    "dead": State.DEAD,
}
TABLES = {"failed": ["scheduled"], "snoozed": ["scheduled"], "released": ["ready"]}


def details(outcome: str) -> dict[str, Any]:
    """What a worker sends along with the outcome."""
    known: dict[str, dict[str, Any]] = {
        "succeeded": {"result": raw(1)},
        "failed": {"error": "Boom", "delay_seconds": 60.0, "is_counted": True},
        "snoozed": {"delay_seconds": 60.0},
        "dead": {"error": "Boom", "is_counted": True},
        "cancelled": {"error": "pointless"},
    }
    return known.get(outcome, {})


def test_nothing_to_finish_is_no_error(store: Store) -> None:
    assert store.finish(WORKER, []) == []


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_an_outcome_ends_the_lease_and_is_written_down(
    store: Store, tables: Tables, outcome: str
) -> None:
    taken = start_one(store)
    assert settle(store, taken, outcome, **details(outcome)) is Answer.SETTLED

    assert look(store, taken.job_id).state is STATES[outcome]
    assert places(tables, taken.job_id) == TABLES.get(outcome, [])
    (attempt,) = store.history(taken.job_id)
    assert (attempt.attempt, attempt.outcome, attempt.fence) == (1, outcome, taken.fence)
    assert (attempt.worker, attempt.error) == (WORKER, details(outcome).get("error"))


@pytest.mark.parametrize(
    ("outcome", "failures"),
    [
        ("succeeded", 1),
        ("failed", 2),
        ("snoozed", 1),
        ("released", 1),
        ("cancelled", 1),
        ("dead", 2),
    ],
)
def test_only_failing_and_dying_count(store: Store, outcome: str, failures: int) -> None:
    fail(store, start_one(store))
    promote(store)
    taken = claim_one(store)
    settle(store, taken, outcome, **details(outcome))

    job = look(store, taken.job_id)
    assert (job.failures, job.attempt) == (failures, 2)


def test_a_death_that_is_not_counted_leaves_the_failures(store: Store) -> None:
    taken = start_one(store)
    settle(store, taken, "dead", error="no such task", is_counted=False)

    assert look(store, taken.job_id).failures == 0


def test_a_failed_job_comes_back_after_its_delay(store: Store) -> None:
    taken = start_one(store)
    fail(store, taken, delay_seconds=100.0)

    pass_time(store, 60)
    assert (promote(store), claim(store)) == (0, [])
    pass_time(store, 60)
    assert promote(store) == 1
    again = claim_one(store)
    assert (again.attempt, again.failures, again.lapses) == (2, 1, 0)


def test_a_failed_job_without_delay_waits_for_its_promotion(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    fail(store, taken, delay_seconds=0.0)

    assert places(tables, taken.job_id) == ["scheduled"]
    assert look(store, taken.job_id).state is State.FAILED


@pytest.mark.parametrize("outcome", ["failed", "snoozed"])
def test_a_job_comes_back_at_the_moment_given(store: Store, outcome: str) -> None:
    when = datetime(2099, 7, 1, 12, 30, 15, 123456, tzinfo=UTC)
    taken = start_one(store)
    settle(store, taken, outcome, run_at=when, error="x", is_counted=outcome == "failed")

    assert look(store, taken.job_id).run_at == when


def test_a_snooze_spends_nothing(store: Store) -> None:
    taken = start_one(store, max_attempts=1)
    for attempt in range(2, 5):
        settle(store, taken, "snoozed", delay_seconds=5.0)
        pass_time(store, 6)
        promote(store)
        taken = claim_one(store)
        assert (taken.attempt, taken.failures) == (attempt, 0)


def test_a_released_job_is_claimable_at_once_with_its_current_priority(store: Store) -> None:
    taken = start_one(store, priority=7)
    settle(store, taken, "released")

    again = claim_one(store)
    assert (again.attempt, again.failures, again.priority) == (2, 0, 7)


@pytest.mark.parametrize(("outcome", "lapses"), [("failed", 0), ("snoozed", 0), ("released", 1)])
def test_lapses_are_forgiven_by_a_run_that_ended_itself(
    store: Store, outcome: str, lapses: int
) -> None:
    taken = start_suspect(store)
    settle(store, taken, outcome, **details(outcome))

    assert look(store, taken.job_id).lapses == lapses


def test_started_and_finished_are_told_in_the_stores_time(store: Store) -> None:
    taken = start_one(store)
    pass_time(store, LATER_SECONDS)
    settle(store, taken, "succeeded", elapsed_seconds=90.0)

    (attempt,) = store.history(taken.job_id)
    assert attempt.started_at is not None
    lasted = attempt.finished_at - attempt.started_at
    assert abs(lasted - timedelta(seconds=90)) < timedelta(milliseconds=1)
    expected = datetime.now(UTC) + timedelta(seconds=LATER_SECONDS)
    assert abs(attempt.finished_at - expected) < timedelta(seconds=30)


def test_an_attempt_that_never_started_has_no_start(store: Store) -> None:
    taken = start_one(store)
    settle(store, taken, "released")

    (attempt,) = store.history(taken.job_id)
    assert attempt.started_at is None


def test_traceback_and_error_are_kept_as_text(store: Store) -> None:
    taken = start_one(store)
    text = "Ünïcode 北京 🏠 ' \" \\ % ? :name $1 {}\n  line two"
    settle(store, taken, "dead", error=text, traceback=text * 100, is_counted=True)

    (attempt,) = store.history(taken.job_id)
    assert (attempt.error, attempt.traceback) == (text, text * 100)
    assert look(store, taken.job_id).error == text


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_the_same_settlement_again_is_answered_already(store: Store, outcome: str) -> None:
    taken = start_one(store)
    settle(store, taken, outcome, **details(outcome))
    job, history = look(store, taken.job_id), store.history(taken.job_id)

    assert settle(store, taken, outcome, **details(outcome)) is Answer.ALREADY
    assert (look(store, taken.job_id), store.history(taken.job_id)) == (job, history)


def test_already_is_answered_also_when_the_job_runs_again(store: Store) -> None:
    taken = start_one(store)
    settle(store, taken, "released")
    again = claim_one(store)

    assert settle(store, taken, "succeeded") is Answer.ALREADY
    assert settle(store, again, "succeeded") is Answer.SETTLED


def test_a_settlement_without_its_lease_is_lost(store: Store) -> None:
    taken = start_one(store)
    forged = Settlement(job_id=taken.job_id, fence=Fence(taken.fence + 1), outcome="succeeded")
    unknown = Settlement(job_id=new_id(), fence=taken.fence, outcome="succeeded")

    assert store.finish(WORKER, [forged, unknown]) == [Answer.LOST, Answer.LOST]
    assert look(store, taken.job_id).state is State.RUNNING


def test_another_worker_may_not_settle(store: Store) -> None:
    taken = start_one(store)

    assert settle(store, taken, "succeeded", worker=OTHER) is Answer.LOST
    assert look(store, taken.job_id).state is State.RUNNING
    assert store.history(taken.job_id) == []


def test_a_batch_of_every_outcome_is_answered_in_order(store: Store) -> None:
    claims = start_many(store, len(OUTCOMES))
    ends = [
        settlement(taken, outcome, **details(outcome))
        for taken, outcome in zip(claims, OUTCOMES, strict=True)
    ]

    assert store.finish(WORKER, ends) == [Answer.SETTLED] * len(OUTCOMES)
    states = [look(store, taken.job_id).state for taken in claims]
    assert states == [STATES[outcome] for outcome in OUTCOMES]


def test_answers_stand_in_the_order_of_the_settlements(store: Store) -> None:
    claims = start_many(store, 60)
    store.finish(WORKER, [settlement(taken, "succeeded") for taken in claims[::3]])
    fences = [taken.fence + (number % 3 == 1) for number, taken in enumerate(claims)]

    ends = [
        Settlement(job_id=taken.job_id, fence=Fence(fence), outcome="succeeded")
        for taken, fence in zip(claims, fences, strict=True)
    ]
    wanted = [Answer.ALREADY, Answer.LOST, Answer.SETTLED] * 20
    assert store.finish(WORKER, ends) == wanted
    assert store.finish(WORKER, ends[::-1]) == [
        Answer.ALREADY if answer is Answer.SETTLED else answer for answer in wanted[::-1]
    ]


def test_one_lease_twice_in_one_call_is_settled_once(store: Store) -> None:
    taken = start_one(store)
    ends = [settlement(taken, "succeeded"), settlement(taken, "succeeded")]

    assert Answer.LOST not in store.finish(WORKER, ends)
    assert len(store.history(taken.job_id)) == 1


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_after_a_cancel_every_outcome_is_cancelled(
    store: Store, tables: Tables, outcome: str
) -> None:
    taken = start_one(store)
    store.cancel(taken.job_id, by="Ada")

    assert settle(store, taken, outcome, **details(outcome)) is Answer.SETTLED
    assert look(store, taken.job_id).state is State.CANCELLED
    assert places(tables, taken.job_id) == []
    (attempt,) = store.history(taken.job_id)
    assert attempt.outcome == "cancelled"
    assert settle(store, taken, outcome, **details(outcome)) is Answer.ALREADY
