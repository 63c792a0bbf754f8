"""Replace, latest and debounce: what a newer job of a key does to the one that waits."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from leasehold.model.keys import Mode, Verdict
from leasehold.model.states import State
from tests.conformance.key_kit import (
    DEBOUNCE,
    LATEST,
    REPLACE,
    ask,
    error_of,
    key_of,
    keyed_job,
    start,
)
from tests.conformance.kit import (
    Place,
    bring,
    claim,
    fail,
    look,
    pass_time,
    promote,
)
from tests.conformance.tables import places

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

WAITING = [Place.READY, Place.BLOCKED, Place.SCHEDULED, Place.PARKED, Place.FAILED]


def run_at_of(store: Store, job_id: JobId) -> float:
    """When a job is due, in seconds after the first look at it."""
    run_at = look(store, job_id).run_at
    assert run_at is not None
    return (run_at - look(store, job_id).created_at).total_seconds()


@pytest.mark.parametrize("mode", [REPLACE, LATEST])
@pytest.mark.parametrize("place", WAITING)
def test_a_replaced_job_ends_cancelled_and_names_its_successor(
    store: Store, tables: Tables, place: Place, mode: Mode
) -> None:
    standing = bring(store, place, unique=keyed_job().unique)
    newer = ask(store, mode)
    assert newer.answer is not None
    assert (newer.verdict, newer.answer.other) == (Verdict.REPLACED, standing.job_id)
    assert look(store, standing.job_id).state is State.CANCELLED
    assert error_of(store, standing.job_id) == f"replaced by job {newer.id}"
    assert places(tables, standing.job_id) == []
    assert key_of(store).holder == newer.id
    assert [taken.job_id for taken in claim(store)] == [newer.id]


def test_a_replaced_retry_is_not_tried_again(store: Store) -> None:
    taken = start(store)
    fail(store, taken, delay_seconds=60)
    newer = ask(store, REPLACE)
    pass_time(store, 100)
    promote(store)
    assert [each.job_id for each in claim(store)] == [newer.id]


def test_a_chain_of_replacements_leaves_one(store: Store) -> None:
    asked = [ask(store, REPLACE) for _ in range(4)]
    assert [each.job_id for each in claim(store)] == [asked[-1].id]


def test_debounce_puts_the_first_job_off(store: Store) -> None:
    first = ask(store, DEBOUNCE, delay_seconds=5.0)
    pass_time(store, 3)
    second = ask(store, DEBOUNCE, delay_seconds=5.0)
    assert second.answer is not None
    assert (second.verdict, second.standing) == (Verdict.PUSHED, first.id)
    assert second.answer.until == look(store, first.id).run_at
    assert 7.9 < run_at_of(store, first.id) < 8.9
    assert store.get(second.id) is None
    pass_time(store, 3)
    assert promote(store) == 0
    pass_time(store, 3)
    assert promote(store) == 1


def test_debounce_never_brings_a_job_forward(store: Store) -> None:
    first = ask(store, DEBOUNCE, delay_seconds=60.0)
    ask(store, DEBOUNCE, delay_seconds=5.0)
    assert 59.9 < run_at_of(store, first.id) < 60.9


def test_debounce_stops_at_max_wait(store: Store) -> None:
    words = {"delay_seconds": 5.0, "max_wait_seconds": 12.0}
    first = ask(store, DEBOUNCE, **words)
    for _ in range(5):
        pass_time(store, 3)
        ask(store, DEBOUNCE, **words)
    assert 11.9 < run_at_of(store, first.id) < 12.1


def test_debounce_does_not_delay_a_due_job(store: Store) -> None:
    first = ask(store)
    assert ask(store, DEBOUNCE).verdict is Verdict.LIVE
    assert [taken.job_id for taken in claim(store)] == [first.id]


def test_debounce_does_not_delay_a_retry(store: Store) -> None:
    fail(store, start(store), delay_seconds=2)
    assert ask(store, DEBOUNCE, delay_seconds=60.0).verdict is Verdict.LIVE
    pass_time(store, 3)
    assert promote(store) == 1


def test_replace_with_a_delay_obeys_max_wait(store: Store) -> None:
    words = {"delay_seconds": 5.0, "max_wait_seconds": 12.0}
    first = ask(store, REPLACE, **words)
    newest = first
    for _ in range(3):
        pass_time(store, 4)
        newest = ask(store, REPLACE, **words)
    run_at = look(store, newest.id).run_at
    assert run_at is not None
    waited = run_at - look(store, first.id).created_at
    assert timedelta(seconds=11.9) < waited < timedelta(seconds=12.1)
    pass_time(store, 1)
    promote(store)
    assert [taken.job_id for taken in claim(store)] == [newest.id]


def test_a_wait_begins_anew_when_the_key_was_free(store: Store) -> None:
    words = {"delay_seconds": 5.0, "max_wait_seconds": 6.0}
    store.cancel(ask(store, REPLACE, **words).id, by=None)
    pass_time(store, 100)
    second = ask(store, REPLACE, **words)
    assert 4.9 < run_at_of(store, second.id) < 5.1
