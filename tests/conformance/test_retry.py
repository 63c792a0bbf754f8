"""A retry by hand makes a failed, dead or cancelled job ready, with a clean slate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.states import State
from tests.conformance.kit import (
    STATE_OF,
    Place,
    bring,
    claim_one,
    enqueue_one,
    lapse,
    look,
    new_id,
    pass_time,
    promote,
    settle,
    start_suspect,
)
from tests.conformance.tables import places, snapshot

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

RETRIABLE = (Place.FAILED, Place.DEAD, Place.CANCELLED)


def test_there_is_no_such_job_to_retry(store: Store) -> None:
    assert store.retry(new_id()) is None


@pytest.mark.parametrize("place", RETRIABLE)
def test_a_retried_job_is_ready_now_with_failures_forgiven(
    store: Store, tables: Tables, place: Place
) -> None:
    job_id, _ = bring(store, place, priority=4, queue="mail")

    assert store.retry(job_id) is State.QUEUED
    assert places(tables, job_id) == ["ready"]
    job = look(store, job_id)
    assert (job.state, job.failures, job.lapses, job.attempt) == (State.QUEUED, 0, 0, 1)
    taken = claim_one(store, queues=["mail"])
    assert (taken.attempt, taken.failures, taken.priority) == (2, 0, 4)


@pytest.mark.parametrize("place", RETRIABLE)
def test_the_history_stays_and_goes_on(store: Store, place: Place) -> None:
    job_id, _ = bring(store, place)
    before = store.history(job_id)
    store.retry(job_id)
    assert store.history(job_id) == before

    settle(store, claim_one(store), "succeeded")
    assert [end.attempt for end in store.history(job_id)] == [1, 2]
    assert look(store, job_id).state is State.SUCCEEDED


@pytest.mark.parametrize("place", sorted(set(Place) - set(RETRIABLE)))
def test_any_other_state_forbids_it(store: Store, tables: Tables, place: Place) -> None:
    job_id, _ = bring(store, place)
    before = snapshot(tables)

    assert store.retry(job_id) is STATE_OF[place]
    assert snapshot(tables) == before


def test_a_job_cancelled_while_waiting_can_be_retried(store: Store) -> None:
    job_id = enqueue_one(store)
    store.cancel(job_id, by=None)
    store.retry(job_id)

    assert claim_one(store).attempt == 2


def test_a_retried_job_keeps_its_place_by_creation(store: Store) -> None:
    job_id, _ = bring(store, Place.DEAD)
    created_at = look(store, job_id).created_at
    pass_time(store, 60)
    enqueue_one(store)
    store.retry(job_id)

    assert look(store, job_id).created_at == created_at
    assert claim_one(store, limit=1).job_id == job_id


def test_a_suspect_is_none_any_more_after_a_retry(store: Store) -> None:
    taken = start_suspect(store, max_attempts=5)
    lapse(store, delay_seconds=500.0)
    assert store.retry(taken.job_id) is State.QUEUED

    assert claim_one(store).lapses == 0


def test_a_failed_job_keeps_its_changed_priority(store: Store) -> None:
    job_id, _ = bring(store, Place.FAILED)
    store.reprioritise(job_id, 9)
    store.retry(job_id)

    assert claim_one(store).priority == 9


def test_a_failed_job_that_fell_due_is_queued_already(store: Store, tables: Tables) -> None:
    job_id, _ = bring(store, Place.FAILED)
    pass_time(store, 86_400)
    promote(store)
    before = snapshot(tables)

    assert store.retry(job_id) is State.QUEUED
    assert snapshot(tables) == before


def test_a_dead_job_may_be_retried_again_and_again(store: Store) -> None:
    job_id, _ = bring(store, Place.DEAD)
    for attempt in range(2, 6):
        assert store.retry(job_id) is State.QUEUED
        taken = claim_one(store)
        assert (taken.attempt, taken.failures) == (attempt, 0)
        settle(store, taken, "dead", error="Boom", is_counted=True)
