"""Reclaim takes back what lapsed and stands unchanged; the first lapse is free, the last ends."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from leasehold.model.states import State
from leasehold.model.values import TaskPolicy, WorkerInfo
from leasehold.store.base import Answer
from tests.conformance.kit import (
    GREET,
    LEASE_SECONDS,
    WORKER,
    claim,
    claim_one,
    fail,
    held,
    lapse,
    look,
    new_jobs,
    pass_time,
    promote,
    reclaim,
    settle,
    start_many,
    start_one,
    start_suspect,
)
from tests.conformance.tables import places, snapshot

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


def test_a_living_lease_is_not_listed(store: Store) -> None:
    start_one(store)
    pass_time(store, LEASE_SECONDS - 30)
    assert store.lapsed(limit=10) == []


def test_a_lapsed_lease_is_listed_and_left_alone(store: Store, tables: Tables) -> None:
    taken = start_suspect(store)
    before = snapshot(tables)
    pass_time(store, LEASE_SECONDS + 1)

    (lease,) = store.lapsed(limit=10)
    assert (lease.job_id, lease.fence, lease.lapses) == (taken.job_id, taken.fence, 1)
    assert lease.lease_seconds == LEASE_SECONDS
    assert store.lapsed(limit=10) == [lease]
    assert snapshot(tables) == before


def test_lapsed_leases_are_listed_oldest_first(store: Store) -> None:
    store.enqueue(new_jobs(3))
    order = []
    for lease_seconds in (50.0, 10.0, 30.0):
        taken = claim_one(store, limit=1, lease_seconds=lease_seconds)
        order.append((lease_seconds, taken.job_id))
    pass_time(store, 100)

    expected = [job_id for _, job_id in sorted(order)]
    assert [lease.job_id for lease in store.lapsed(limit=10)] == expected
    assert [lease.job_id for lease in store.lapsed(limit=2)] == expected[:2]


def test_the_first_lapse_is_not_charged_and_makes_a_suspect(store: Store, tables: Tables) -> None:
    taken = start_one(store, max_attempts=1)
    assert lapse(store, delay_seconds=10.0) == {taken.job_id: State.QUEUED}

    job = look(store, taken.job_id)
    assert (job.state, job.failures, job.lapses, job.attempt) == (State.QUEUED, 0, 1, 1)
    assert places(tables, taken.job_id) == ["scheduled"]
    (attempt,) = store.history(taken.job_id)
    assert (attempt.outcome, attempt.fence, attempt.worker) == ("lapsed", taken.fence, WORKER)


def test_a_reclaimed_job_comes_back_after_the_seconds_given(store: Store) -> None:
    taken = start_one(store)
    lapse(store, delay_seconds=100.0)

    expected = datetime.now(UTC) + timedelta(seconds=store.skew_seconds + 100)
    when = look(store, taken.job_id).run_at
    assert when is not None
    assert abs(when - expected) < timedelta(seconds=30)
    assert promote(store) == 0
    pass_time(store, 120)
    assert promote(store) == 1


def test_a_suspects_lapse_is_charged(store: Store) -> None:
    taken = start_suspect(store, max_attempts=3)
    assert lapse(store) == {taken.job_id: State.FAILED}

    job = look(store, taken.job_id)
    assert (job.state, job.failures, job.lapses, job.attempt) == (State.FAILED, 1, 2, 2)
    assert [end.outcome for end in store.history(taken.job_id)] == ["lapsed", "lapsed"]


@pytest.mark.parametrize("max_attempts", [1, 2, 4])
def test_a_job_that_kills_its_worker_is_dead_after_one_death_more_than_its_attempts(
    store: Store, tables: Tables, max_attempts: int
) -> None:
    taken = start_suspect(store, max_attempts=max_attempts, lapses=max_attempts)
    assert lapse(store) == {taken.job_id: State.DEAD}

    job = look(store, taken.job_id)
    assert (job.state, job.failures, job.attempt) == (
        State.DEAD,
        max_attempts,
        max_attempts + 1,
    )
    assert job.error is not None
    assert job.error.startswith("lapsed")
    assert places(tables, taken.job_id) == []
    outcomes = [end.outcome for end in store.history(taken.job_id)]
    assert outcomes == ["lapsed"] * max_attempts + ["dead"]


def test_failures_before_the_lapses_count_too(store: Store) -> None:
    taken = start_one(store, max_attempts=2)
    fail(store, taken)
    promote(store)
    claim_one(store)
    assert lapse(store) == {taken.job_id: State.FAILED}
    promote(store)
    claim_one(store, suspects=True)

    assert lapse(store) == {taken.job_id: State.DEAD}
    assert look(store, taken.job_id).failures == 2


def test_a_kind_that_dies_on_lapse_is_dead_at_once(store: Store) -> None:
    policy = TaskPolicy(
        kind=GREET,
        queue="default",
        priority=0,
        max_attempts=5,
        timeout_seconds=60.0,
        dies_on_lapse=True,
    )
    worker = WorkerInfo(
        id=WORKER, name="w", queues=("default",), kinds=(GREET,), slots=1, version="1"
    )
    store.register(worker, [policy])
    taken = start_one(store)

    assert lapse(store) == {taken.job_id: State.DEAD}
    job = look(store, taken.job_id)
    assert job.error is not None
    assert job.error.startswith("lapsed")


def test_a_cancelled_job_that_lapses_is_cancelled(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    store.cancel(taken.job_id, by="Ada")

    assert lapse(store) == {taken.job_id: State.CANCELLED}
    assert look(store, taken.job_id).state is State.CANCELLED
    assert places(tables, taken.job_id) == []
    assert [end.outcome for end in store.history(taken.job_id)] == ["cancelled"]


def test_a_lease_renewed_after_it_was_seen_is_not_taken(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    pass_time(store, LEASE_SECONDS + 1)
    seen = store.lapsed(limit=10)
    store.renew(WORKER, [held(taken)])
    before = snapshot(tables)

    assert store.reclaim([(lease, 0.0) for lease in seen]) == {}
    assert snapshot(tables) == before


def test_a_lease_renewed_and_lapsed_again_is_another_lapse(store: Store) -> None:
    taken = start_one(store)
    pass_time(store, LEASE_SECONDS + 1)
    seen = store.lapsed(limit=10)
    store.renew(WORKER, [held(taken)])
    pass_time(store, LEASE_SECONDS + 1)

    assert store.reclaim([(lease, 0.0) for lease in seen]) == {}
    assert reclaim(store) == {taken.job_id: State.QUEUED}


def test_a_lease_whose_end_lies_ahead_again_is_not_taken(store: Store) -> None:
    start_one(store)
    pass_time(store, LEASE_SECONDS + 1)
    seen = store.lapsed(limit=10)
    pass_time(store, -LEASE_SECONDS)

    assert store.reclaim([(lease, 0.0) for lease in seen]) == {}


def test_a_reclaim_is_done_once(store: Store) -> None:
    taken = start_one(store)
    pass_time(store, LEASE_SECONDS + 1)
    seen = [(lease, 0.0) for lease in store.lapsed(limit=10)]

    assert store.reclaim(seen) == {taken.job_id: State.QUEUED}
    assert store.reclaim(seen) == {}
    assert len(store.history(taken.job_id)) == 1


def test_a_finished_job_is_not_reclaimed(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    pass_time(store, LEASE_SECONDS + 1)
    seen = [(lease, 0.0) for lease in store.lapsed(limit=10)]
    settle(store, taken, "succeeded")
    before = snapshot(tables)

    assert store.reclaim(seen) == {}
    assert snapshot(tables) == before


def test_the_next_attempt_is_not_taken_for_the_last_one(store: Store) -> None:
    taken = start_one(store)
    pass_time(store, LEASE_SECONDS + 1)
    seen = [(lease, 0.0) for lease in store.lapsed(limit=10)]
    settle(store, taken, "released")
    again = claim_one(store)
    pass_time(store, LEASE_SECONDS + 1)

    assert store.reclaim(seen) == {}
    assert look(store, again.job_id).state is State.RUNNING


def test_a_worker_whose_lease_was_taken_back_settles_nothing(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    lapse(store)
    before = snapshot(tables)

    assert settle(store, taken, "succeeded") is Answer.LOST
    assert snapshot(tables) == before


def test_many_leases_each_go_their_own_way(store: Store) -> None:
    suspect = start_suspect(store, max_attempts=1)
    first, cancelled, done, renewed = start_many(store, 4)
    store.cancel(cancelled.job_id, by=None)
    pass_time(store, LEASE_SECONDS + 1)
    seen = [(lease, 5.0) for lease in store.lapsed(limit=10)]
    settle(store, done, "succeeded")
    store.renew(WORKER, [held(renewed)])

    assert store.reclaim(seen) == {
        suspect.job_id: State.DEAD,
        first.job_id: State.QUEUED,
        cancelled.job_id: State.CANCELLED,
    }


def test_nothing_to_reclaim_is_no_error(store: Store) -> None:
    assert store.reclaim([]) == {}


def test_the_innocent_lose_one_run_and_nothing_else(store: Store) -> None:
    claims = start_many(store, 20, max_attempts=1)
    assert set(lapse(store).values()) == {State.QUEUED}
    promote(store)

    for _ in claims:
        taken = claim(store, suspects=True, limit=1)[0]
        assert settle(store, taken, "succeeded") is Answer.SETTLED
    assert {look(store, taken.job_id).failures for taken in claims} == {0}
