"""Why a job does not run: no claim gives it, and once the advice is followed, one does."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from leasehold.errors import JobNotFound
from leasehold.model.causes import Reason
from leasehold.model.lanes import Pause, Rule
from tests.conformance.kit import (
    HOST,
    LATER_SECONDS,
    LEASE_SECONDS,
    OTHER,
    RULE,
    STRANGE,
    WORKER,
    Place,
    bring,
    claim,
    enqueue_apart,
    enqueue_one,
    fail,
    lapse,
    look,
    new_id,
    new_jobs,
    pass_time,
    promote,
    reclaim,
    settle,
    start_one,
)
from tests.conformance.why_kit import assert_free, assert_held, start_worker, take, why

if TYPE_CHECKING:
    from leasehold.model.why import Why
    from leasehold.store.base import Store


@pytest.fixture(autouse=True)
def a_worker(store: Store) -> None:
    start_worker(store, rules=[Rule(name=RULE, running=2)])


# -- ended and running -----------------------------------------------------------------------------
def test_a_job_that_succeeded_says_when(store: Store) -> None:
    job_id = bring(store, Place.SUCCEEDED).job_id
    said = assert_held(store, job_id, Reason.SUCCEEDED)
    assert f"{look(store, job_id).finished_at:%Y-%m-%d %H:%M}" in said.text


def test_a_dead_job_says_of_what_and_runs_when_retried(store: Store) -> None:
    job_id = bring(store, Place.DEAD).job_id
    assert "after 1 of 5 failures: Boom" in assert_held(store, job_id, Reason.DEAD).text
    store.retry(job_id)
    assert_free(store, job_id)


def test_a_cancelled_job_says_by_whom_and_runs_when_retried(store: Store) -> None:
    job_id = enqueue_one(store)
    store.cancel(job_id, by="ada")
    assert assert_held(store, job_id, Reason.CANCELLED).text.startswith("cancelled by ada")
    store.retry(job_id)
    assert_free(store, job_id)


def test_a_job_that_was_cancelled_while_it_ran_says_by_whom(store: Store) -> None:
    taken = start_one(store)
    store.cancel(taken.job_id, by="ada")
    settle(store, taken, "failed", error="Boom", is_counted=True)
    assert "by ada" in assert_held(store, taken.job_id, Reason.CANCELLED).text


def test_a_running_job_says_on_which_worker_since_when(store: Store) -> None:
    taken = start_one(store)
    said = assert_held(store, taken.job_id, Reason.RUNNING)
    claimed_at = look(store, taken.job_id).claimed_at
    assert said.text == f"runs on w-101 since {claimed_at:%Y-%m-%d %H:%M:%S} UTC, attempt 1"


def test_one_that_was_told_to_stop_says_by_whom(store: Store) -> None:
    taken = start_one(store)
    store.cancel(taken.job_id, by="ada")
    said = assert_held(store, taken.job_id, Reason.STOPPING)
    assert said.text.endswith("told to stop by ada")


def test_one_whose_worker_is_silent_is_not_said_to_run(store: Store) -> None:
    taken = start_one(store)
    pass_time(store, LEASE_SECONDS + 1)
    said = assert_held(store, taken.job_id, Reason.LAPSED)
    assert said.advice.startswith("start a worker")
    store.beat(WORKER, running=0)
    reclaim(store)
    assert why(store, taken.job_id).reason is Reason.DUE


# -- for later -------------------------------------------------------------------------------------
def come_due(store: Store, said: Why) -> None:
    """Wait as advised."""
    assert said.until is not None
    facts = store.facts(said.job_id)
    assert facts is not None
    pass_time(store, (said.until - facts.moment) / timedelta(seconds=1) + 1)
    store.beat(WORKER, running=0)
    assert why(store, said.job_id).reason is Reason.DUE
    promote(store)


def test_a_job_for_later_runs_when_it_is_due(store: Store) -> None:
    job_id = enqueue_one(store, delay_seconds=LATER_SECONDS)
    said = assert_held(store, job_id, Reason.SCHEDULED)
    assert said.until == look(store, job_id).run_at
    come_due(store, said)
    assert_free(store, job_id)


def test_a_failed_job_waits_for_its_next_try_and_runs_when_retried(store: Store) -> None:
    job_id = bring(store, Place.FAILED).job_id
    said = assert_held(store, job_id, Reason.RETRYING)
    assert said.text.startswith("failed 1 of 5 times, last with: Boom; next try at")
    store.retry(job_id)
    assert_free(store, job_id)


def test_a_failed_job_runs_when_its_next_try_is_due(store: Store) -> None:
    job_id = bring(store, Place.FAILED).job_id
    come_due(store, assert_held(store, job_id, Reason.RETRYING))
    assert_free(store, job_id)


def test_a_snoozed_job_waits_for_its_time(store: Store) -> None:
    taken = start_one(store)
    fail(store, taken)
    promote(store)
    (again,) = claim(store)
    settle(store, again, "snoozed", delay_seconds=LATER_SECONDS)
    come_due(store, assert_held(store, taken.job_id, Reason.SNOOZED))
    assert_free(store, taken.job_id)


def test_a_job_whose_worker_died_comes_back_and_runs_alone(store: Store) -> None:
    taken = start_one(store)
    lapse(store, delay_seconds=LATER_SECONDS)
    store.beat(WORKER, running=0)
    come_due(store, assert_held(store, taken.job_id, Reason.RECLAIMED))
    plain = enqueue_one(store)
    said = why(store, taken.job_id)
    assert said.reason is Reason.SUSPECT
    assert "0 such jobs stand before it" in said.text
    assert take(store) == [plain]  # not among others
    assert_free(store, taken.job_id)


def test_suspects_before_it_are_counted(store: Store) -> None:
    store.enqueue(new_jobs(3))
    ids = sorted(each.job_id for each in claim(store))
    lapse(store)
    store.beat(WORKER, running=0)
    promote(store)
    assert "2 such jobs stand before it" in why(store, ids[2]).text


# -- who could take it -----------------------------------------------------------------------------
def test_nothing_in_the_way_is_said_too(store: Store) -> None:
    job_id = enqueue_one(store)
    assert why(store, job_id).reason is Reason.NEXT
    assert_free(store, job_id)


@pytest.mark.parametrize("lane", [None, HOST, ""])
def test_a_paused_queue_says_until_when_and_runs_when_resumed(
    store: Store, lane: str | None
) -> None:
    job_id = enqueue_one(store, lane=lane)
    store.pause_queue("default", Pause(seconds=LATER_SECONDS, reason="deploy", by="ada"))
    said = assert_held(store, job_id, Reason.QUEUE_PAUSED)
    assert said.until is not None
    assert said.text.endswith("by ada (deploy)")
    store.resume_queue("default")
    assert_free(store, job_id)


def test_a_pause_without_an_end_says_so(store: Store) -> None:
    job_id = enqueue_one(store)
    store.pause_queue("default", Pause())
    said = assert_held(store, job_id, Reason.QUEUE_PAUSED)
    assert (said.until, said.text) == (None, "queue default is paused until it is resumed")


def test_a_pause_that_is_over_is_no_reason(store: Store) -> None:
    job_id = enqueue_one(store, lane=HOST)
    store.pause_queue("default", Pause(seconds=5))
    store.pause_throttle(HOST, Pause(seconds=5))
    pass_time(store, 6)
    assert why(store, job_id).reason is Reason.NEXT
    assert_free(store, job_id)


def test_without_any_worker_it_says_so(store: Store) -> None:
    store.farewell(WORKER)
    job_id = enqueue_one(store)
    assert why(store, job_id).reason is Reason.NO_WORKER
    start_worker(store)
    assert why(store, job_id).reason is Reason.NEXT
    assert_free(store, job_id)


def test_a_worker_that_went_silent_does_not_count(store: Store) -> None:
    job_id = enqueue_one(store)
    pass_time(store, 46)
    assert why(store, job_id).reason is Reason.NO_WORKER
    store.beat(WORKER, running=0)
    assert why(store, job_id).reason is Reason.NEXT


def test_a_queue_that_nobody_serves_names_those_that_are_served(store: Store) -> None:
    job_id = enqueue_one(store, queue="mail")
    said = assert_held(store, job_id, Reason.QUEUE_UNSERVED)
    assert said.text == "no worker serves queue mail: 1 worker is alive, for default"
    start_worker(store, OTHER, queues=["mail"])
    assert_free(store, job_id, worker=OTHER, queues=["mail"])


@pytest.mark.parametrize("lane", [None, HOST])
def test_a_kind_that_nobody_knows_waits_for_a_worker_that_does(
    store: Store, lane: str | None
) -> None:
    job_id = enqueue_one(store, kind=STRANGE, lane=lane)
    assert_held(store, job_id, Reason.UNKNOWN_KIND)  # looking for jobs sets it aside
    assert why(store, job_id).text.endswith("the job is set aside")
    start_worker(store, OTHER, kinds=[STRANGE])
    assert why(store, job_id).reason is Reason.NEXT
    assert_free(store, job_id, worker=OTHER, kinds=[STRANGE])


def test_a_worker_that_knows_it_but_serves_other_queues_does_not_count(store: Store) -> None:
    start_worker(store, OTHER, queues=["mail"], kinds=[STRANGE])
    job_id = enqueue_one(store, kind=STRANGE)
    assert_held(store, job_id, Reason.UNKNOWN_KIND)


def test_busy_workers_are_a_reason_until_a_slot_is_free(store: Store) -> None:
    store.farewell(WORKER)
    start_worker(store, OTHER, slots=1)
    store.enqueue(new_jobs(1))
    (taken,) = claim(store, worker=OTHER)
    job_id = enqueue_one(store)
    said = why(store, job_id)
    assert (said.reason, said.text) == (
        Reason.NO_SLOT,
        "the only slot of 1 worker that knows it is busy",
    )
    settle(store, taken, "succeeded", worker=OTHER)
    assert why(store, job_id).reason is Reason.NEXT
    assert_free(store, job_id, worker=OTHER)


def test_what_was_claimed_ahead_fills_no_other_workers_slots(store: Store) -> None:
    start_worker(store, OTHER, slots=1)
    store.enqueue(new_jobs(5))
    assert len(claim(store)) == 5  # with 4 slots
    job_id = enqueue_one(store)
    assert why(store, job_id).reason is Reason.NEXT
    assert_free(store, job_id, worker=OTHER)


# -- all of them -----------------------------------------------------------------------------------
def test_all_that_holds_it_up_comes_along(store: Store) -> None:
    enqueue_apart(store, 3, lane=HOST)
    assert len(take(store)) == 2
    job_id = enqueue_one(store, lane=HOST)
    store.pause_queue("default", Pause())
    said = why(store, job_id)
    assert said.reason is Reason.QUEUE_PAUSED
    assert [each.reason for each in said.also] == [Reason.THROTTLED, Reason.IN_LINE]


def test_what_will_hold_up_a_job_for_later_comes_along(store: Store) -> None:
    job_id = enqueue_one(store, lane="nobody:x", queue="mail", delay_seconds=LATER_SECONDS)
    store.pause_queue("mail", Pause(seconds=5))
    said = why(store, job_id)
    assert said.reason is Reason.SCHEDULED
    assert [each.reason for each in said.also] == [
        Reason.QUEUE_UNSERVED,
        Reason.THROTTLE_UNKNOWN,
    ]


def test_a_job_that_is_not_there_is_an_error(store: Store) -> None:
    nobody = new_id()
    assert store.facts(nobody) is None
    with pytest.raises(JobNotFound):
        why(store, nobody)


def test_asking_changes_nothing(store: Store) -> None:
    ids = [bring(store, place, queue=place.value).job_id for place in Place]
    before = [look(store, job_id) for job_id in ids]
    for job_id in ids:
        assert why(store, job_id).text
    assert [look(store, job_id) for job_id in ids] == before
