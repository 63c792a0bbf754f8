"""Promotion moves what is due to ready, and says when to look again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from leasehold.model.states import State
from leasehold.model.values import Promotion
from tests.conformance.kit import (
    claim,
    enqueue_one,
    fail,
    look,
    new_job,
    new_jobs,
    pass_time,
    start_one,
)
from tests.conformance.tables import places

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


def test_nothing_scheduled_says_so(store: Store) -> None:
    enqueue_one(store)
    assert store.promote(limit=10) == Promotion(0, None)


def test_the_wait_for_the_next_job_is_told(store: Store) -> None:
    enqueue_one(store, delay_seconds=500.0)
    enqueue_one(store, delay_seconds=100.0)

    promotion = store.promote(limit=10)
    assert promotion.count == 0
    assert promotion.next_seconds is not None
    assert 60 < promotion.next_seconds <= 100


def test_due_jobs_become_ready_and_the_others_stay(store: Store, tables: Tables) -> None:
    soon, late = enqueue_one(store, delay_seconds=10.0), enqueue_one(store, delay_seconds=500.0)
    pass_time(store, 60)

    promotion = store.promote(limit=10)
    assert promotion.count == 1
    assert promotion.next_seconds is not None
    assert 400 < promotion.next_seconds <= 440
    assert places(tables, soon) == ["ready"]
    assert places(tables, late) == ["scheduled"]


def test_more_due_than_the_limit_shows_in_a_full_count(store: Store) -> None:
    store.enqueue(new_jobs(5, delay_seconds=10.0))
    pass_time(store, 60)

    assert store.promote(limit=3).count == 3
    assert store.promote(limit=3) == Promotion(2, None)


def test_the_longest_due_come_first(store: Store, tables: Tables) -> None:
    late = enqueue_one(store, delay_seconds=50.0)
    early = enqueue_one(store, delay_seconds=5.0)
    pass_time(store, 100)

    store.promote(limit=1)
    assert places(tables, early) == ["ready"]
    assert places(tables, late) == ["scheduled"]


def test_a_promoted_job_is_claimed_by_priority_and_creation(store: Store) -> None:
    old, urgent = new_job(delay_seconds=50.0), new_job(delay_seconds=60.0, priority=5)
    store.enqueue([old, urgent])
    pass_time(store, 100)
    newer = enqueue_one(store)
    store.promote(limit=10)

    assert [taken.job_id for taken in claim(store)] == [urgent.id, old.id, newer]


def test_a_failed_job_that_falls_due_is_queued_with_its_failures(store: Store) -> None:
    taken = start_one(store)
    fail(store, taken, delay_seconds=30.0)
    pass_time(store, 60)
    store.promote(limit=10)

    job = look(store, taken.job_id)
    assert (job.state, job.failures, job.attempt) == (State.QUEUED, 1, 1)


def test_a_far_moment_does_not_overflow(store: Store) -> None:
    enqueue_one(store, run_at=datetime(9999, 12, 31, tzinfo=UTC))

    promotion = store.promote(limit=10)
    assert promotion.count == 0
    assert promotion.next_seconds is not None
    assert timedelta(seconds=promotion.next_seconds) > timedelta(days=365_000)
