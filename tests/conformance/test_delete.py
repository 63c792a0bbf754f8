"""Delete removes a job and its history wherever it stands, unless it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.states import State
from tests.conformance.kit import (
    RUNNING_PLACES,
    Place,
    bring,
    claim,
    enqueue_one,
    new_id,
    new_job,
    settle,
)
from tests.conformance.tables import snapshot

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


def test_deleting_what_never_was_is_no_error(store: Store) -> None:
    assert store.delete(new_id()) is None


@pytest.mark.parametrize("place", sorted(set(Place) - set(RUNNING_PLACES)))
def test_a_job_that_does_not_run_is_deleted_without_a_trace(
    store: Store, tables: Tables, place: Place
) -> None:
    job_id, _ = bring(store, place)

    assert store.delete(job_id) is None
    assert store.get(job_id) is None
    assert store.history(job_id) == []
    assert set(map(len, snapshot(tables).values())) == {0}
    assert store.delete(job_id) is None


@pytest.mark.parametrize("place", RUNNING_PLACES)
def test_a_running_job_may_not_be_deleted(store: Store, tables: Tables, place: Place) -> None:
    job_id, taken = bring(store, place)
    before = snapshot(tables)

    assert store.delete(job_id) is State.RUNNING
    assert snapshot(tables) == before
    assert taken is not None
    assert settle(store, taken, "succeeded") == "settled"


def test_other_jobs_are_not_touched(store: Store) -> None:
    bystander, victim = enqueue_one(store), enqueue_one(store)
    store.delete(victim)

    assert [taken.job_id for taken in claim(store)] == [bystander]


def test_a_deleted_id_may_be_used_again(store: Store) -> None:
    job_id = enqueue_one(store)
    store.delete(job_id)

    assert store.enqueue([new_job(id=job_id, kind="other")]) == {}
