"""A job is always seen in exactly one state, with its whole history."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from leasehold.model.states import State
from leasehold.model.values import WorkerInfo
from tests.conformance.kit import (
    GREET,
    LATER_SECONDS,
    LEASE_SECONDS,
    STATE_OF,
    WORKER,
    Place,
    bring,
    claim_one,
    enqueue_one,
    fail,
    look,
    new_id,
    pass_time,
    promote,
    raw,
    settle,
    start_one,
)

if TYPE_CHECKING:
    from leasehold.store.base import Store

NEAR = timedelta(seconds=30)


def register(store: Store, name: str) -> None:
    info = WorkerInfo(
        id=WORKER, name=name, queues=("default",), kinds=(GREET,), slots=1, version="1"
    )
    store.register(info, [])


def test_there_is_no_such_job(store: Store) -> None:
    assert store.get(new_id()) is None
    assert store.history(new_id()) == []


@pytest.mark.parametrize("place", list(Place))
def test_a_job_is_seen_in_the_state_it_is_in(store: Store, place: Place) -> None:
    job_id, _ = bring(store, place, priority=3)

    job = look(store, job_id)
    assert (job.id, job.state) == (job_id, STATE_OF[place])
    assert (job.args, job.priority, job.queue) == ({"name": "Ada"}, 3, "default")
    assert job.cancel_requested is (place is Place.CANCELLING)


def test_a_running_job_shows_its_lease(store: Store) -> None:
    register(store, "alpha")
    taken = start_one(store)

    job = look(store, taken.job_id)
    assert (job.worker, job.worker_name, job.attempt) == (WORKER, "alpha", 1)
    assert job.claimed_at is not None
    assert abs(job.claimed_at - datetime.now(UTC)) < NEAR
    assert job.lease_until == job.claimed_at + timedelta(seconds=LEASE_SECONDS)
    assert job.finished_at is None


@pytest.mark.parametrize("place", sorted(set(Place) - {Place.RUNNING, Place.CANCELLING}))
def test_a_job_that_does_not_run_shows_no_lease(store: Store, place: Place) -> None:
    job_id, _ = bring(store, place)
    assert look(store, job_id).lease_until is None


@pytest.mark.parametrize("place", [Place.SCHEDULED, Place.FAILED])
def test_a_job_that_waits_for_its_time_shows_it(store: Store, place: Place) -> None:
    job_id, _ = bring(store, place)

    when = look(store, job_id).run_at
    assert when is not None
    assert abs(when - datetime.now(UTC) - timedelta(seconds=LATER_SECONDS)) < NEAR


def test_a_succeeded_job_shows_result_and_times(store: Store) -> None:
    job_id, _ = bring(store, Place.SUCCEEDED)

    job = look(store, job_id)
    assert (job.result, job.error) == ({"sum": 3}, None)
    assert job.started_at is not None
    assert job.finished_at is not None
    assert abs(job.finished_at - job.started_at - timedelta(seconds=0.5)) < timedelta(
        milliseconds=1
    )


@pytest.mark.parametrize("place", [Place.FAILED, Place.DEAD, Place.CANCELLED])
def test_an_unhappy_job_shows_its_error(store: Store, place: Place) -> None:
    job_id, _ = bring(store, place)

    job = look(store, job_id)
    assert job.error in {"Boom", "cancelled by its handler"}
    assert job.result is None


@pytest.mark.parametrize("place", [Place.DEAD, Place.CANCELLED])
def test_an_ended_job_shows_when(store: Store, place: Place) -> None:
    job_id, _ = bring(store, place)

    finished_at = look(store, job_id).finished_at
    assert finished_at is not None
    assert abs(finished_at - datetime.now(UTC)) < NEAR


def test_history_is_told_oldest_first_with_every_outcome(store: Store) -> None:
    taken = start_one(store)
    fences = [taken.fence]
    for outcome in ("released", "snoozed", "failed"):
        settle(store, taken, outcome, delay_seconds=0.0, is_counted=outcome == "failed")
        promote(store)
        taken = claim_one(store)
        fences.append(taken.fence)
    settle(store, taken, "succeeded", result=raw(7), elapsed_seconds=0.1)

    history = store.history(taken.job_id)
    assert [end.attempt for end in history] == [1, 2, 3, 4]
    assert [end.outcome for end in history] == ["released", "snoozed", "failed", "succeeded"]
    assert [end.fence for end in history] == fences
    assert [end.result for end in history] == [None, None, None, 7]
    assert {end.worker for end in history} == {WORKER}


def test_history_names_the_worker(store: Store) -> None:
    register(store, "alpha")
    taken = start_one(store)
    settle(store, taken, "succeeded")

    assert [end.worker_name for end in store.history(taken.job_id)] == ["alpha"]


def test_history_does_not_mix_jobs(store: Store) -> None:
    first, second = start_one(store), start_one(store)
    settle(store, first, "succeeded")
    settle(store, second, "dead", error="x")

    assert [end.outcome for end in store.history(first.job_id)] == ["succeeded"]
    assert [end.outcome for end in store.history(second.job_id)] == ["dead"]


def test_instants_are_aware_and_utc(store: Store) -> None:
    taken = start_one(store, delay_seconds=None)
    fail(store, taken, delay_seconds=5.0)

    job, (attempt,) = look(store, taken.job_id), store.history(taken.job_id)
    for instant in (job.created_at, job.run_at, attempt.finished_at):
        assert instant is not None
        assert instant.utcoffset() == timedelta(0)


def test_a_job_brought_back_by_its_time_is_queued(store: Store) -> None:
    job_id = enqueue_one(store, delay_seconds=10.0)
    pass_time(store, 60)
    promote(store)

    assert look(store, job_id).state is State.QUEUED
