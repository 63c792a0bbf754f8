"""Renewing extends exactly the leases that stand, never beyond their deadline."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from leasehold.model.ids import Fence
from leasehold.model.values import Held, Renewal
from tests.conformance.kit import (
    LEASE_SECONDS,
    OTHER,
    WORKER,
    claim_one,
    held,
    lapse,
    look,
    new_id,
    pass_time,
    promote,
    settle,
    start_many,
    start_one,
)
from tests.conformance.tables import snapshot

if TYPE_CHECKING:
    from datetime import datetime

    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

NOTHING = Renewal(lost=frozenset(), cancelled=frozenset())


def until(store: Store, taken: Claim) -> datetime:
    end = look(store, taken.job_id).lease_until
    assert end is not None
    return end


def test_nothing_to_renew_is_no_error(store: Store) -> None:
    assert store.renew(WORKER, []) == NOTHING


def test_a_lease_is_extended_from_now(store: Store) -> None:
    taken = start_one(store)
    before = until(store, taken)
    pass_time(store, 40)

    assert store.renew(WORKER, [held(taken)]) == NOTHING
    gained = until(store, taken) - before
    assert timedelta(seconds=40) <= gained < timedelta(seconds=70)


def test_no_renewal_goes_beyond_the_deadline(store: Store) -> None:
    taken = start_one(store, timeout_seconds=10.0)
    claimed_at = look(store, taken.job_id).claimed_at
    assert claimed_at is not None
    deadline = claimed_at + timedelta(seconds=10 + LEASE_SECONDS)

    for _ in range(4):
        pass_time(store, 30)
        store.renew(WORKER, [held(taken)])
        assert until(store, taken) <= deadline
    assert until(store, taken) == deadline


def test_a_lapsed_lease_that_nobody_took_back_is_renewed(store: Store) -> None:
    taken = start_one(store)
    pass_time(store, LEASE_SECONDS + 30)

    assert store.renew(WORKER, [held(taken)]) == NOTHING
    assert store.lapsed(limit=10) == []


def test_a_lease_of_another_worker_is_not_renewed(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    before = snapshot(tables)
    pass_time(store, 30)

    assert store.renew(OTHER, [held(taken)]).lost == {taken.job_id}
    assert snapshot(tables) == before


def test_a_lease_with_another_fence_is_not_renewed(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    before = snapshot(tables)
    pass_time(store, 30)

    for fence in (taken.fence - 1, taken.fence + 1):
        stale = Held(taken.job_id, Fence(fence), LEASE_SECONDS)
        assert store.renew(WORKER, [stale]).lost == {taken.job_id}
    assert snapshot(tables) == before


def test_a_lease_that_was_taken_back_is_lost_even_for_its_next_holder(store: Store) -> None:
    taken = start_one(store)
    lapse(store)
    assert store.renew(WORKER, [held(taken)]).lost == {taken.job_id}
    promote(store)
    again = claim_one(store, suspects=True)

    assert store.renew(WORKER, [held(taken)]).lost == {taken.job_id}
    assert store.renew(WORKER, [held(again)]) == NOTHING


def test_ended_and_unknown_jobs_are_lost(store: Store) -> None:
    taken, missing = start_one(store), new_id()
    settle(store, taken, "succeeded")

    unknown = Held(missing, Fence(1), LEASE_SECONDS)
    assert store.renew(WORKER, [held(taken), unknown]).lost == {taken.job_id, missing}


def test_many_leases_each_get_their_own_answer(store: Store) -> None:
    stands, ended, cancelled = start_many(store, 3)
    settle(store, ended, "released")
    store.cancel(cancelled.job_id, by=None)
    before = until(store, stands)
    pass_time(store, 30)

    renewal = store.renew(WORKER, [held(stands), held(ended), held(cancelled)])
    assert renewal == Renewal(
        lost=frozenset({ended.job_id}), cancelled=frozenset({cancelled.job_id})
    )
    assert until(store, stands) > before


def test_a_cancelled_lease_is_told_so_and_still_renewed(store: Store) -> None:
    taken = start_one(store)
    before = until(store, taken)
    store.cancel(taken.job_id, by="Ada")
    pass_time(store, 30)

    renewal = store.renew(WORKER, [held(taken)])
    assert renewal == Renewal(lost=frozenset(), cancelled=frozenset({taken.job_id}))
    assert until(store, taken) > before


def test_cancel_requests_name_the_leases_that_should_stop(store: Store) -> None:
    stands, cancelled, ended = start_many(store, 3)
    store.cancel(cancelled.job_id, by=None)
    settle(store, ended, "succeeded")

    everyone = [held(stands), held(cancelled), held(ended)]
    assert store.cancel_requests(everyone) == {cancelled.job_id}
    assert store.cancel_requests([]) == frozenset()


def test_cancel_requests_of_an_older_lease_are_not_told(store: Store) -> None:
    taken = start_one(store)
    settle(store, taken, "released")
    again = claim_one(store)
    store.cancel(again.job_id, by=None)

    assert store.cancel_requests([held(taken)]) == frozenset()
    assert store.cancel_requests([held(again)]) == {again.job_id}
