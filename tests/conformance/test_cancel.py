"""Cancel ends a job that waits, marks one that runs, and leaves one that ended as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.states import State
from tests.conformance.kit import (
    FINAL_PLACES,
    STATE_OF,
    WORKER,
    Place,
    bring,
    claim,
    enqueue_one,
    look,
    new_id,
    pass_time,
    promote,
    settle,
    start_one,
)
from tests.conformance.tables import places, snapshot

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

WAITING = (Place.READY, Place.BLOCKED, Place.SCHEDULED, Place.PARKED, Place.FAILED)


def test_there_is_no_such_job_to_cancel(store: Store) -> None:
    assert store.cancel(new_id(), by=None) is None


@pytest.mark.parametrize("place", WAITING)
def test_a_waiting_job_is_cancelled_at_once(store: Store, tables: Tables, place: Place) -> None:
    job_id, _ = bring(store, place)
    before = look(store, job_id)

    assert store.cancel(job_id, by=None) is State.CANCELLED
    after = look(store, job_id)
    assert (after.state, after.failures) == (State.CANCELLED, before.failures)
    assert after.attempt == before.attempt + 1
    assert places(tables, job_id) == []


@pytest.mark.parametrize("place", WAITING)
def test_an_ending_without_a_lease_is_an_attempt_without_a_worker(
    store: Store, place: Place
) -> None:
    job_id, _ = bring(store, place)
    store.cancel(job_id, by=None)

    last = store.history(job_id)[-1]
    assert (last.outcome, last.error) == ("cancelled", "cancelled")
    assert (last.fence, last.worker, last.started_at) == (None, None, None)
    assert last.attempt == look(store, job_id).attempt


def test_it_is_told_who_cancelled_a_waiting_job(store: Store) -> None:
    job_id = enqueue_one(store)
    store.cancel(job_id, by="Ada")

    assert look(store, job_id).error == "cancelled by Ada"


def test_it_is_told_who_cancelled_a_running_job(store: Store) -> None:
    taken = start_one(store)
    store.cancel(taken.job_id, by="Ada")
    settle(store, taken, "succeeded")

    error = look(store, taken.job_id).error
    assert error is not None
    assert "Ada" in error


def test_a_running_job_is_marked_and_goes_on(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    assert store.cancel(taken.job_id, by=None) is State.RUNNING

    job = look(store, taken.job_id)
    assert (job.state, job.cancel_requested, job.worker) == (State.RUNNING, True, WORKER)
    assert places(tables, taken.job_id) == ["lease"]
    assert store.history(taken.job_id) == []


def test_cancelling_twice_is_cancelling_once(store: Store) -> None:
    waiting, running = enqueue_one(store, queue="elsewhere"), start_one(store)
    for _ in range(2):
        assert store.cancel(waiting, by=None) is State.CANCELLED
        assert store.cancel(running.job_id, by=None) is State.RUNNING
    assert len(store.history(waiting)) == 1


@pytest.mark.parametrize("place", FINAL_PLACES)
def test_a_job_that_ended_stays_as_it_is(store: Store, tables: Tables, place: Place) -> None:
    job_id, _ = bring(store, place)
    before = snapshot(tables)

    assert store.cancel(job_id, by=None) is STATE_OF[place]
    assert snapshot(tables) == before


@pytest.mark.parametrize("place", WAITING)
def test_a_cancelled_job_is_never_claimed(store: Store, place: Place) -> None:
    job_id, _ = bring(store, place)
    store.cancel(job_id, by=None)
    pass_time(store, 86_400)

    assert promote(store) == 0
    assert claim(store) == claim(store, suspects=True) == []


def test_other_jobs_are_not_touched(store: Store) -> None:
    bystander, victim = enqueue_one(store), enqueue_one(store)
    store.cancel(victim, by=None)

    assert look(store, bystander).state is State.QUEUED
