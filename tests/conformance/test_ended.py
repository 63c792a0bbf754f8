"""What jobs came to is told at one look, for as many as are waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from leasehold.model.results import Ended
from leasehold.model.states import State
from tests.conformance.kit import (
    FINAL_PLACES,
    GREET,
    Place,
    bring,
    claim_one,
    new_id,
    raw,
    settle,
    start_many,
    start_one,
)

if TYPE_CHECKING:
    from leasehold.store.base import Store

LIVE = [place for place in Place if place not in FINAL_PLACES]


@pytest.mark.parametrize("place", LIVE)
def test_a_live_job_is_left_out_wherever_it_stands(store: Store, place: Place) -> None:
    assert store.ended([bring(store, place).job_id]) == {}


@pytest.mark.parametrize("place", FINAL_PLACES)
def test_an_ended_job_is_told_with_its_state(store: Store, place: Place) -> None:
    job_id = bring(store, place).job_id
    ended = store.ended([job_id])[job_id]
    assert ended is not None
    assert (ended.job_id, ended.kind, ended.state) == (job_id, GREET, State(place.value))


def test_a_job_that_is_not_there_is_told_so(store: Store) -> None:
    nobody = new_id()
    assert store.ended([nobody]) == {nobody: None}


def test_nothing_asked_is_nothing_told(store: Store) -> None:
    assert store.ended([]) == {}


def test_the_result_is_told_as_it_was_stored(store: Store) -> None:
    taken = start_one(store)
    settle(store, taken, "succeeded", result=raw({"a": [1, None, "ü"]}))
    ended = store.ended([taken.job_id])[taken.job_id]
    assert ended is not None
    assert ended.result is not None
    assert msgspec.json.decode(ended.result) == {"a": [1, None, "ü"]}


def test_without_a_result_there_is_none(store: Store) -> None:
    taken = start_one(store)
    settle(store, taken, "succeeded")
    told = Ended(job_id=taken.job_id, kind=GREET, state=State.SUCCEEDED)
    assert store.ended([taken.job_id]) == {taken.job_id: told}


def test_the_error_is_that_of_the_last_attempt(store: Store) -> None:
    taken = start_one(store)
    settle(store, taken, "failed", error="first", delay_seconds=0, is_counted=True)
    store.promote(limit=10)
    settle(store, claim_one(store), "dead", error="last", is_counted=True)
    ended = store.ended([taken.job_id])[taken.job_id]
    assert ended is not None
    assert ended.error == "last"


@pytest.mark.parametrize("place", [Place.DEAD, Place.CANCELLED])
def test_a_job_that_was_retried_is_live_again(store: Store, place: Place) -> None:
    job_id = bring(store, place).job_id
    store.retry(job_id)
    assert store.ended([job_id]) == {}
    claim_one(store)
    assert store.ended([job_id]) == {}


def test_many_are_told_at_once_each_its_own(store: Store) -> None:
    taken = start_many(store, 50)
    for number, each in enumerate(taken[:30]):
        settle(store, each, "succeeded", result=raw(number))
    told = store.ended([each.job_id for each in taken])
    assert {job_id: ended and ended.result for job_id, ended in told.items()} == {
        each.job_id: raw(number) for number, each in enumerate(taken[:30])
    }
