"""Time is the store's, moved by its skew; two stores on one database differ by theirs only."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from leasehold.model.states import State
from leasehold.store import open_store
from tests.conformance.kit import (
    LEASE_SECONDS,
    claim,
    enqueue_one,
    look,
    pass_time,
    promote,
    settle,
    start_one,
)

if TYPE_CHECKING:
    from leasehold.store.base import Store

NEAR = timedelta(seconds=30)


def test_there_is_no_skew_unless_a_test_makes_one(store: Store) -> None:
    assert store.skew_seconds == 0


def test_every_instant_moves_with_the_skew(store: Store) -> None:
    pass_time(store, 86_400)
    taken = start_one(store)
    running = look(store, taken.job_id)
    settle(store, taken, "succeeded", elapsed_seconds=0.0)
    ended = look(store, taken.job_id)

    expected = datetime.now(UTC) + timedelta(days=1)
    for instant in (
        running.created_at,
        running.claimed_at,
        ended.started_at,
        ended.finished_at,
    ):
        assert instant is not None
        assert abs(instant - expected) < NEAR
    assert running.lease_until is not None
    assert abs(running.lease_until - expected - timedelta(seconds=LEASE_SECONDS)) < NEAR


def test_a_fraction_of_a_second_counts(store: Store) -> None:
    pass_time(store, 0.5)
    first = look(store, enqueue_one(store)).created_at
    pass_time(store, 0.25)
    second = look(store, enqueue_one(store)).created_at

    assert second - first >= timedelta(seconds=0.25)


def test_a_clock_that_goes_back_hurts_nothing(store: Store) -> None:
    taken = start_one(store)
    pass_time(store, -3600)

    assert store.lapsed(limit=10) == []
    settle(store, taken, "failed", delay_seconds=10.0, is_counted=True)
    assert look(store, taken.job_id).state is State.FAILED
    pass_time(store, 60)
    assert promote(store) == 1
    assert claim(store)[0].attempt == 2


def test_one_stores_skew_is_not_anothers(store: Store, store_url: str) -> None:
    start_one(store)
    with contextlib.closing(open_store(store_url)) as ahead:
        ahead.skew_seconds = LEASE_SECONDS + 60
        assert len(ahead.lapsed(limit=10)) == 1
    assert store.lapsed(limit=10) == []
