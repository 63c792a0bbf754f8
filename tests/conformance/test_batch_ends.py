"""How batches end: once, with callbacks, also by failures and cancels; and how they begin anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.errors import BatchSealed
from leasehold.model.batches import Adder, BatchStatus
from leasehold.model.states import State
from tests.conformance.batch_kit import (
    DONE,
    ON_END,
    ON_FAILURE,
    batch_of,
    callback_of,
    callbacks,
    counts,
    end,
    info,
    run,
    told,
)
from tests.conformance.kit import (
    STATE_OF,
    Place,
    bring,
    claim,
    claim_one,
    enqueue_one,
    fail,
    lapse,
    make_batch,
    new_job,
    promote,
    raw,
    settle,
)

if TYPE_CHECKING:
    from leasehold.store.base import Store


# -- the end ---------------------------------------------------------------------------------------
def test_a_batch_ends_after_its_last_member_with_one_callback(store: Store) -> None:
    batch, members = batch_of(store, 3, name="import", meta=raw({"app": "shop"}), tenant="")
    store.seal_batch(batch)
    first, *rest = claim(store)
    settle(store, first, "succeeded")
    assert not end(store, first.job_id).is_any
    for each in rest:
        settle(store, each, "succeeded")

    followed = end(store, *members)
    assert followed.batches == (batch,)
    assert followed.arrivals == {"callbacks": 1}
    assert info(store, batch).status is BatchStatus.ENDED
    job = callback_of(store, batch)
    assert job is not None
    assert (job.kind, job.queue, job.state) == (DONE, "callbacks", State.QUEUED)
    ended = told(job)
    assert (ended.batch, ended.name, ended.meta) == (batch, "import", {"app": "shop"})
    assert (ended.total, ended.succeeded, ended.dead, ended.cancelled) == (3, 3, 0, 0)
    assert (ended.round, ended.is_success, ended.is_cancelled) == (1, True, False)

    assert not end(store, *members).is_any
    assert not store.sweep(after=None, limit=10, is_thorough=True).is_any
    assert len(callbacks(store)) == 1


def test_an_open_batch_does_not_end(store: Store) -> None:
    batch, members = batch_of(store, 1)
    run(store)
    assert not end(store, *members).is_any
    store.seal_batch(batch)
    assert store.follow_batches([batch]).batches == (batch,)


def test_an_empty_batch_ends_when_it_is_sealed(store: Store) -> None:
    batch, _ = batch_of(store)
    store.seal_batch(batch)
    assert store.follow_batches([batch]).batches == (batch,)
    assert told(callback_of(store, batch)).total == 0


@pytest.mark.parametrize(
    "place", [place for place in Place if not STATE_OF[place].is_final], ids=str
)
def test_one_live_member_keeps_its_batch_from_ending(store: Store, place: Place) -> None:
    batch = make_batch(store, on_end=ON_END)
    done, _ = bring(store, Place.SUCCEEDED, batch=batch)
    bring(store, place, batch=batch)
    store.seal_batch(batch)
    assert not end(store, done).is_any
    assert not store.sweep(after=None, limit=10, is_thorough=True).is_any
    assert info(store, batch).status is BatchStatus.SEALED


@pytest.mark.parametrize("place", [Place.SUCCEEDED, Place.DEAD, Place.CANCELLED])
def test_members_end_it_however_they_ended(store: Store, place: Place) -> None:
    batch = make_batch(store, on_end=ON_END)
    done, _ = bring(store, place, batch=batch)
    store.seal_batch(batch)
    assert end(store, done).batches == (batch,)
    ended = told(callback_of(store, batch))
    assert {place: 1, "total": 1}.items() <= {
        "total": ended.total,
        "succeeded": ended.succeeded,
        "dead": ended.dead,
        "cancelled": ended.cancelled,
    }.items()
    assert ended.is_success is (place is Place.SUCCEEDED)


def test_a_member_that_comes_back_is_waited_for(store: Store) -> None:
    batch, (member,) = batch_of(store, 1)
    store.seal_batch(batch)
    fail(store, claim_one(store), delay_seconds=0.0)
    assert not end(store, member).is_any
    promote(store)
    claim_one(store)
    lapse(store)
    assert not end(store, member).is_any
    promote(store)
    settle(store, claim_one(store, suspects=True), "succeeded")
    assert end(store, member).batches == (batch,)


def test_a_sweep_ends_what_nobody_followed_up(store: Store) -> None:
    batches = sorted(batch_of(store, 1)[0] for _ in range(3))
    run(store)
    for batch in batches:
        store.seal_batch(batch)
    swept = store.sweep(after=None, limit=2, is_thorough=False)
    assert (set(swept.batches), swept.swept_to) == (set(batches[:2]), batches[1])
    swept = store.sweep(after=swept.swept_to, limit=2, is_thorough=False)
    assert (swept.batches, swept.swept_to) == ((batches[2],), None)
    assert len(callbacks(store)) == 3


def test_a_batch_whose_last_waiting_member_is_deleted_is_ended_by_a_sweep(store: Store) -> None:
    batch, (member,) = batch_of(store, 1)
    store.seal_batch(batch)
    store.delete(member)
    assert store.sweep(after=None, limit=10, is_thorough=False).batches == (batch,)


def test_a_batch_without_a_callback_ends_too(store: Store) -> None:
    batch = make_batch(store)
    member = enqueue_one(store, batch=batch)
    store.seal_batch(batch)
    run(store)
    followed = end(store, member)
    assert (followed.batches, followed.arrivals) == ((batch,), {})


# -- nested ----------------------------------------------------------------------------------------
def test_a_parent_ends_after_what_is_nested_in_it(store: Store) -> None:
    top, _ = batch_of(store, 1)
    middle, _ = batch_of(store, 0, parent=top)
    bottom, (last,) = batch_of(store, 1, parent=middle)
    for batch in (top, middle, bottom):
        store.seal_batch(batch)
    first = claim(store)
    for each in first:
        if each.job_id != last:
            settle(store, each, "succeeded")
            assert not end(store, each.job_id).is_any
    settle(store, next(each for each in first if each.job_id == last), "succeeded")
    assert end(store, last).batches == (bottom, middle, top)
    assert len(callbacks(store)) == 3


# -- the first failure -----------------------------------------------------------------------------
def test_the_first_dead_member_is_told_once_while_others_go_on(store: Store) -> None:
    batch, members = batch_of(store, 3, on_failure=ON_FAILURE)
    first, second, third = claim(store)
    settle(store, first, "succeeded")
    assert not end(store, first.job_id).is_any
    settle(store, second, "dead", error="Boom")
    followed = end(store, second.job_id)
    assert (followed.failures, followed.batches) == ((batch,), ())
    assert info(store, batch).failed_at is not None
    job = callback_of(store, batch, "failure")
    assert (told(job).dead, told(job).total) == (1, 3)
    settle(store, third, "dead", error="Boom")
    assert not end(store, third.job_id).is_any
    store.seal_batch(batch)
    assert end(store, *members).batches == (batch,)
    assert len(callbacks(store)) == 2


def test_a_death_that_nobody_followed_up_is_found_by_a_thorough_sweep(store: Store) -> None:
    batch, _ = batch_of(store, 2, on_failure=ON_FAILURE)
    settle(store, claim(store, limit=1)[0], "dead")
    assert not store.sweep(after=None, limit=10, is_thorough=False).is_any
    assert store.sweep(after=None, limit=10, is_thorough=True).failures == (batch,)


def test_a_death_is_told_at_the_end_at_the_latest(store: Store) -> None:
    batch, _ = batch_of(store, 1, on_failure=ON_FAILURE)
    run(store, "dead")
    store.seal_batch(batch)
    swept = store.sweep(after=None, limit=10, is_thorough=False)
    assert (swept.batches, swept.failures) == ((batch,), (batch,))
    assert len(callbacks(store)) == 2


# -- cancel ----------------------------------------------------------------------------------------
def test_a_sweep_names_cancelled_batches_that_are_not_over(store: Store) -> None:
    batch, (member,) = batch_of(store, 1)
    other, _ = batch_of(store, 1)
    store.seal_batch(other)
    store.cancel_batch(batch, by="Ada")
    assert store.sweep(after=None, limit=10, is_thorough=False).cancelled == {batch: "Ada"}
    store.cancel(member, by="Ada")
    swept = store.sweep(after=None, limit=10, is_thorough=False)
    assert (swept.batches, swept.cancelled) == ((batch,), {})


def test_a_cancelled_batch_and_those_nested_in_it_take_no_members(store: Store) -> None:
    batch, _ = batch_of(store, 1)
    nested = make_batch(store, parent=batch)
    taken = claim_one(store)
    assert store.cancel_batch(batch, by="Ada") == [batch, nested]
    found = info(store, batch)
    assert (found.status, found.cancelled_by) == (BatchStatus.CANCELLING, "Ada")
    for each in (batch, nested):
        with pytest.raises(BatchSealed, match="cancelling"):
            store.enqueue([new_job(batch=each, adder=Adder(taken.job_id, taken.fence))])


def test_live_members_are_those_that_nobody_told_to_stop(store: Store) -> None:
    batch = make_batch(store)
    live = {
        bring(store, place, batch=batch)[0]
        for place in (Place.RUNNING, Place.PARKED, Place.SCHEDULED, Place.BLOCKED, Place.FAILED)
    }
    bring(store, Place.CANCELLING, batch=batch)
    bring(store, Place.SUCCEEDED, batch=batch)
    ready = enqueue_one(store, batch=batch)
    assert set(store.live_members([batch], limit=100)) == {*live, ready}
    assert len(store.live_members([batch], limit=2)) == 2


def test_a_cancelled_batch_ends_cancelled_with_its_callback(store: Store) -> None:
    batch, members = batch_of(store, 2)
    taken = claim(store, limit=1)[0]
    store.cancel_batch(batch, by=None)
    store.cancel_many(store.live_members([batch], limit=10), by=None)
    assert not end(store, *members).is_any  # one is still running
    settle(store, taken, "succeeded")
    assert end(store, *members).batches == (batch,)
    assert info(store, batch).status is BatchStatus.CANCELLED
    ended = told(callback_of(store, batch))
    assert (ended.cancelled, ended.is_cancelled, ended.is_success) == (2, True, False)


def test_a_batch_that_has_ended_is_not_cancelled(store: Store) -> None:
    batch, _ = batch_of(store)
    store.seal_batch(batch)
    store.follow_batches([batch])
    assert store.cancel_batch(batch, by="Ada") == [batch]
    assert info(store, batch).status is BatchStatus.ENDED


# -- another round ---------------------------------------------------------------------------------
def test_another_round_has_its_own_callbacks(store: Store) -> None:
    batch, members = batch_of(store, 2, on_failure=ON_FAILURE)
    store.seal_batch(batch)
    good, bad = claim(store)
    settle(store, good, "succeeded")
    settle(store, bad, "dead")
    assert end(store, *members).batches == (batch,)

    assert store.reopen_batch(batch) is BatchStatus.OPEN
    found = info(store, batch)
    assert (found.round, found.sealed_at, found.failed_at, found.ended_at) == (2, None, None, None)
    assert store.retry_many([bad.job_id]) == {bad.job_id: State.QUEUED}
    assert counts(store, batch) == {"total": 2, "succeeded": 1, "queued": 1}
    store.seal_batch(batch)
    assert not store.sweep(after=None, limit=10, is_thorough=True).is_any
    run(store)
    followed = end(store, *members)
    assert (followed.batches, followed.failures) == ((batch,), ())
    assert told(callback_of(store, batch, number=2)).succeeded == 2
    assert told(callback_of(store, batch, number=2)).round == 2


def test_only_an_ended_batch_is_opened_again(store: Store) -> None:
    batch, _ = batch_of(store, 1)
    assert store.reopen_batch(batch) is BatchStatus.OPEN
    store.seal_batch(batch)
    assert store.reopen_batch(batch) is BatchStatus.SEALED
    assert info(store, batch).round == 1
