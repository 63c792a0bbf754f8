"""After a claim whose answer was lost, a worker hands back what it does not know it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.model.states import State
from tests.conformance.kit import (
    OTHER,
    WORKER,
    claim,
    claim_one,
    held,
    look,
    new_jobs,
    settle,
    start_many,
    start_one,
    start_suspect,
)

if TYPE_CHECKING:
    from leasehold.store.base import Store


def test_unknown_leases_of_this_worker_go_back_uncharged(store: Store) -> None:
    known, *unknown = start_many(store, 4)

    assert store.release_unknown(WORKER, [held(known)]) == 3
    assert look(store, known.job_id).state is State.RUNNING
    for taken in unknown:
        job = look(store, taken.job_id)
        assert (job.state, job.attempt, job.failures) == (State.QUEUED, 1, 0)
        assert [end.outcome for end in store.history(taken.job_id)] == ["released"]
    assert {again.job_id for again in claim(store)} == {taken.job_id for taken in unknown}


def test_all_leases_are_known_so_nothing_is_released(store: Store) -> None:
    claims = start_many(store, 3)
    assert store.release_unknown(WORKER, [held(taken) for taken in claims]) == 0


def test_a_worker_that_knows_nothing_releases_everything(store: Store) -> None:
    start_many(store, 3)
    assert store.release_unknown(WORKER, []) == 3
    assert store.release_unknown(WORKER, []) == 0


def test_leases_of_other_workers_are_left_alone(store: Store) -> None:
    store.enqueue(new_jobs(2))
    theirs = claim(store, worker=OTHER)

    assert store.release_unknown(WORKER, []) == 0
    assert {look(store, taken.job_id).state for taken in theirs} == {State.RUNNING}


def test_a_newer_lease_on_a_known_job_is_unknown(store: Store) -> None:
    taken = start_one(store)
    settle(store, taken, "released")
    lost = claim_one(store)

    assert store.release_unknown(WORKER, [held(taken)]) == 1
    assert look(store, lost.job_id).state is State.QUEUED


def test_a_released_suspect_stays_a_suspect(store: Store) -> None:
    start_suspect(store)
    store.release_unknown(WORKER, [])

    assert claim(store) == []
    assert claim_one(store, suspects=True).lapses == 1


def test_a_cancelled_lease_that_is_released_ends_cancelled(store: Store) -> None:
    taken = start_one(store)
    store.cancel(taken.job_id, by=None)
    store.release_unknown(WORKER, [])

    assert look(store, taken.job_id).state is State.CANCELLED


def test_a_released_lease_can_change_nothing_any_more(store: Store) -> None:
    taken = start_one(store)
    store.release_unknown(WORKER, [])

    assert settle(store, taken, "succeeded") != "settled"
    assert look(store, taken.job_id).state is State.QUEUED
