"""Reprioritising changes where a waiting job stands in line, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.states import State
from leasehold.model.values import Want
from tests.conformance.kit import (
    FINAL_PLACES,
    LEASE_SECONDS,
    OTHER,
    RUNNING_PLACES,
    STATE_OF,
    STRANGE,
    Place,
    bring,
    claim,
    claim_one,
    enqueue_apart,
    fail,
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

WAITING = (Place.READY, Place.BLOCKED, Place.SCHEDULED, Place.PARKED, Place.FAILED)


def test_there_is_no_such_job_to_reprioritise(store: Store) -> None:
    assert store.reprioritise(new_id(), 5) is None


@pytest.mark.parametrize("place", WAITING)
def test_a_waiting_job_stays_where_it_is_with_another_priority(
    store: Store, tables: Tables, place: Place
) -> None:
    job_id, _ = bring(store, place)
    before, table = look(store, job_id), places(tables, job_id)

    assert store.reprioritise(job_id, -5) is STATE_OF[place]
    after = look(store, job_id)
    assert after.priority == -5
    assert (after.state, after.attempt, after.failures) == (
        before.state,
        before.attempt,
        before.failures,
    )
    assert (after.created_at, after.run_at) == (before.created_at, before.run_at)
    assert places(tables, job_id) == table


@pytest.mark.parametrize("place", [*RUNNING_PLACES, *FINAL_PLACES])
def test_a_job_that_runs_or_ended_is_left_as_it_is(
    store: Store, tables: Tables, place: Place
) -> None:
    job_id, _ = bring(store, place)
    before = snapshot(tables)

    assert store.reprioritise(job_id, 5) is STATE_OF[place]
    assert snapshot(tables) == before


def test_it_changes_the_order_of_claims(store: Store) -> None:
    first, second, third = enqueue_apart(store, 3)
    store.reprioritise(third, 1)
    store.reprioritise(first, -1)

    assert [taken.job_id for taken in claim(store)] == [third, second, first]


def test_it_holds_for_later_attempts(store: Store) -> None:
    job_id, _ = bring(store, Place.READY)
    store.reprioritise(job_id, 7)
    fail(store, claim_one(store))
    promote(store)
    taken = claim_one(store)
    assert taken.priority == 7
    settle(store, taken, "released")

    assert claim_one(store).priority == 7


def test_a_scheduled_job_falls_due_with_its_new_priority(store: Store) -> None:
    job_id, _ = bring(store, Place.SCHEDULED)
    store.reprioritise(job_id, 7)
    pass_time(store, 86_400)
    promote(store)

    assert claim_one(store).priority == 7


def test_a_parked_job_is_claimed_with_its_new_priority(store: Store) -> None:
    job_id, _ = bring(store, Place.PARKED)
    store.reprioritise(job_id, 7)

    (taken,) = store.claim_parked(
        OTHER, [Want("default", 5)], limit=5, leases={STRANGE: LEASE_SECONDS}
    )
    assert (taken.job_id, taken.priority) == (job_id, 7)


def test_a_suspect_stays_a_suspect(store: Store) -> None:
    taken = start_suspect(store)
    settle(store, taken, "released")
    assert store.reprioritise(taken.job_id, 7) is State.QUEUED

    assert claim(store) == []
    assert claim_one(store, suspects=True).lapses == 1
