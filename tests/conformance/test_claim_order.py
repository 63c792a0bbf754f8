"""The order of claims: wants in turn, then priority, creation, id; limits hold everywhere."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from leasehold.model.states import State
from leasehold.model.values import Want
from tests.conformance.kit import (
    GREET,
    LEASE_SECONDS,
    WORKER,
    claim,
    claim_one,
    enqueue_apart,
    enqueue_one,
    fail,
    look,
    new_id,
    new_job,
    new_jobs,
    promote,
    settle,
    start_one,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.values import Claim
    from leasehold.store.base import Store


def ids(claims: Sequence[Claim]) -> list[object]:
    return [taken.job_id for taken in claims]


def test_an_empty_queue_gives_nothing(store: Store) -> None:
    assert claim(store) == []


def test_a_claim_carries_all_that_running_needs(store: Store) -> None:
    job_id = enqueue_one(store, priority=3, max_attempts=2, timeout_seconds=7.5, tenant="acme")

    taken = claim_one(store, lease_seconds=30.0)
    assert (taken.job_id, taken.kind, taken.queue) == (job_id, GREET, "default")
    assert (taken.attempt, taken.failures, taken.lapses) == (1, 0, 0)
    assert (taken.max_attempts, taken.timeout_seconds, taken.lease_seconds) == (2, 7.5, 30.0)
    assert (taken.tenant, taken.priority) == ("acme", 3)
    assert look(store, job_id).state is State.RUNNING


def test_jobs_of_one_priority_come_in_order_of_creation(store: Store) -> None:
    created = enqueue_apart(store, 5)
    assert ids(claim(store)) == created


def test_creation_counts_before_the_id(store: Store) -> None:
    high, low = sorted((new_id(), new_id()), reverse=True)
    store.enqueue([new_job(id=high)])
    store.skew_seconds += 1
    store.enqueue([new_job(id=low)])

    assert ids(claim(store)) == [high, low]


def test_jobs_of_one_call_come_in_order_of_their_ids(store: Store) -> None:
    jobs = new_jobs(50)
    store.enqueue(random.Random(7).sample(jobs, len(jobs)))

    assert ids(claim(store)) == [job.id for job in jobs]


def test_a_higher_priority_comes_first(store: Store) -> None:
    expected: list[object] = []
    for priority in (-32_768, -1, 0, 1, 500, 32_767):
        expected.insert(0, enqueue_one(store, priority=priority))

    assert ids(claim(store)) == expected


def test_priority_counts_before_creation_also_across_several_claims(store: Store) -> None:
    old = enqueue_apart(store, 3, priority=0)
    new = enqueue_apart(store, 3, priority=5)

    taken = [*claim(store, limit=2), *claim(store, limit=2), *claim(store, limit=2)]
    assert ids(taken) == [*new, *old]


def test_wants_are_served_in_order_whatever_the_priorities(store: Store) -> None:
    urgent = enqueue_one(store, queue="b", priority=100)
    plain = enqueue_one(store, queue="a")

    assert ids(claim(store, queues=["a", "b"])) == [plain, urgent]


def test_each_want_has_its_own_limit(store: Store) -> None:
    first = new_jobs(5, queue="a")
    second = new_jobs(5, queue="b")
    store.enqueue([*first, *second])

    wants = [Want("b", 2), Want("a", 3)]
    taken = store.claim(WORKER, wants, limit=100, leases={GREET: LEASE_SECONDS})
    assert ids(taken) == [job.id for job in (*second[:2], *first[:3])]


def test_a_wants_limit_holds_across_its_priorities(store: Store) -> None:
    urgent, plain = new_jobs(2, priority=5), new_jobs(5)
    store.enqueue([*urgent, *plain, *new_jobs(3, queue="b")])

    wants = [Want("default", 3), Want("b", 1)]
    taken = store.claim(WORKER, wants, limit=100, leases={GREET: LEASE_SECONDS})
    assert ids(taken)[:3] == [job.id for job in (*urgent, plain[0])]
    assert len(taken) == 4


def test_the_limit_in_all_cuts_the_last_want(store: Store) -> None:
    first, second = new_jobs(3, queue="a"), new_jobs(3, queue="b")
    store.enqueue([*first, *second])

    wants = [Want("a", 10), Want("b", 10)]
    taken = store.claim(WORKER, wants, limit=4, leases={GREET: LEASE_SECONDS})
    assert ids(taken) == [job.id for job in (*first, second[0])]


def test_queues_that_are_not_wanted_are_left_alone(store: Store) -> None:
    enqueue_one(store, queue="elsewhere")
    assert claim(store, queues=["default"]) == []


def test_no_wants_or_no_room_claim_nothing(store: Store) -> None:
    enqueue_one(store)
    assert store.claim(WORKER, [], limit=5, leases={GREET: 60.0}) == []
    assert store.claim(WORKER, [Want("default", 5)], limit=0, leases={GREET: 60.0}) == []
    assert store.claim(WORKER, [Want("default", 0)], limit=5, leases={GREET: 60.0}) == []
    assert len(claim(store)) == 1


def test_a_job_that_failed_keeps_its_place_by_creation(store: Store) -> None:
    failing = start_one(store)
    store.skew_seconds += 1
    newer = enqueue_one(store)
    fail(store, failing)
    promote(store)

    assert ids(claim(store)) == [failing.job_id, newer]


def test_a_job_that_was_handed_back_keeps_its_place_by_creation(store: Store) -> None:
    released = start_one(store, priority=1)
    store.skew_seconds += 1
    newer = enqueue_one(store, priority=1)
    settle(store, released, "released")

    assert ids(claim(store)) == [released.job_id, newer]


def test_each_kind_gets_its_own_lease(store: Store) -> None:
    store.enqueue([new_job(kind="slow"), new_job(kind="quick")])
    taken = store.claim(
        WORKER, [Want("default", 10)], limit=10, leases={"slow": 600.0, "quick": 5.0}
    )

    assert {lease.kind: lease.lease_seconds for lease in taken} == {"slow": 600.0, "quick": 5.0}
    for lease in taken:
        job = look(store, lease.job_id)
        assert job.lease_until is not None
        assert job.claimed_at is not None
        assert (job.lease_until - job.claimed_at).total_seconds() == lease.lease_seconds


def test_the_attempt_number_grows_with_each_claim(store: Store) -> None:
    taken = start_one(store)
    for attempt in range(2, 6):
        settle(store, taken, "released")
        taken = claim_one(store)
        assert taken.attempt == attempt


def test_the_fence_only_grows(store: Store) -> None:
    store.enqueue(new_jobs(20))
    fences = [claim_one(store, limit=1).fence for _ in range(20)]

    assert fences == sorted(set(fences))
