"""What a claim reserved of a rate is corrected by the settlement, once, by who has the lease."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.errors import LeaseLost
from leasehold.model.lanes import Rule
from leasehold.model.values import Settlement
from tests.conformance.kit import (
    LATER_SECONDS,
    LEASE_SECONDS,
    WORKER,
    claim_lanes,
    declare,
    lapse,
    look_lanes,
    new_jobs,
    pass_time,
    place_of,
    promote,
    settle,
    take_lanes,
)

if TYPE_CHECKING:
    from leasehold.model.values import Claim
    from leasehold.store.base import Store

MODEL = "openai:gpt"
TOKEN_SECONDS = 100_000.0  # far longer than a test runs
ENDS = ("succeeded", "failed", "dead", "snoozed", "cancelled")


@pytest.fixture(autouse=True)
def four_then_slowly(store: Store) -> None:
    declare(store, Rule(name="openai", rate=1 / TOKEN_SECONDS, burst=4.0))


def enqueue(store: Store, count: int, cost: float | None = None) -> None:
    store.enqueue(new_jobs(count, lane=MODEL, cost=cost))


def pass_tokens(store: Store, count: float) -> None:
    """Let so many tokens come back."""
    pass_time(store, count * TOKEN_SECONDS)


def take(store: Store) -> list[Claim]:
    return claim_lanes(store, place_of(MODEL))


def left(store: Store) -> int:
    """Count the whole tokens that are left, by using them up."""
    store.enqueue(new_jobs(20, lane=MODEL, cost=1.0, priority=9))
    return len(claim_lanes(store, place_of(MODEL, priority=9)))


@pytest.mark.parametrize("outcome", ENDS)
def test_a_reserve_is_corrected_down_by_the_settlement(store: Store, outcome: str) -> None:
    enqueue(store, 1, 4.0)
    (taken,) = take(store)
    settle(store, taken, outcome, spent=1.0, elapsed_seconds=1.0, delay_seconds=LATER_SECONDS)
    assert left(store) == 3


@pytest.mark.parametrize("outcome", ENDS)
def test_a_reserve_is_corrected_up_by_the_settlement(store: Store, outcome: str) -> None:
    enqueue(store, 1)
    (taken,) = take(store)
    settle(store, taken, outcome, spent=3.0, elapsed_seconds=1.0, delay_seconds=LATER_SECONDS)
    assert left(store) == 1


def test_what_was_spent_beyond_the_burst_is_a_debt(store: Store) -> None:
    enqueue(store, 1)
    (taken,) = take(store)
    settle(store, taken, "succeeded", spent=6.0)
    pass_tokens(store, 2.5)
    assert left(store) == 0
    pass_tokens(store, 0.5)
    assert left(store) == 1


def test_a_debt_is_paid_by_time_whoever_looks(store: Store) -> None:
    """Nobody claims from a lane that a look finds closed: what was charged must age by itself."""
    enqueue(store, 2)
    first, second = take(store)
    enqueue(store, 1)
    settle(store, first, "succeeded", spent=3.0)
    settle(store, second, "succeeded", spent=6.0)
    (closed,) = look_lanes(store)
    assert closed.room == 0
    assert closed.opens_seconds is not None
    assert closed.opens_seconds / TOKEN_SECONDS == pytest.approx(6.0, abs=0.1)

    pass_tokens(store, 5)
    (closed,) = look_lanes(store)
    assert closed.opens_seconds is not None
    assert closed.opens_seconds / TOKEN_SECONDS == pytest.approx(1.0, abs=0.1)
    pass_tokens(store, 1)
    assert len(take_lanes(store)) == 1


@pytest.mark.parametrize("forgets", ["refill", "tend"])
def test_a_debt_is_paid_by_time_though_the_claim_is_forgotten(store: Store, forgets: str) -> None:
    """An attempt may be settled long after what its claim used up is pruned, or forgiven."""
    enqueue(store, 1)
    (taken,) = take(store)
    enqueue(store, 1)
    if forgets == "refill":
        assert store.refill_throttle(MODEL)
    else:
        pass_tokens(store, 100)
        store.tend()
    settle(store, taken, "succeeded", spent=9.0)

    for _ in range(3):
        look_lanes(store)
        pass_tokens(store, 3)
    assert len(take_lanes(store)) == 1


def test_a_settlement_that_says_nothing_leaves_what_was_reserved(store: Store) -> None:
    enqueue(store, 1, 3.0)
    (taken,) = take(store)
    settle(store, taken, "succeeded", elapsed_seconds=1.0)
    assert left(store) == 1


def test_a_correction_fills_no_bucket_beyond_its_burst(store: Store) -> None:
    enqueue(store, 1, 4.0)
    (taken,) = take(store)
    pass_tokens(store, 3)
    settle(store, taken, "succeeded", spent=0.0)
    assert left(store) == 4


def test_corrections_of_one_call_are_all_taken_in(store: Store) -> None:
    enqueue(store, 4)
    ends = [
        Settlement(job_id=lease.job_id, fence=lease.fence, spent=spent)
        for lease, spent in zip(take(store), (0.0, 0.5, 1.0, 0.5), strict=True)
    ]
    store.finish(WORKER, ends)
    assert left(store) == 2


def test_a_jobs_own_transaction_corrects_its_reserve(store: Store) -> None:
    enqueue(store, 1, 4.0)
    (taken,) = take(store)
    end = Settlement(job_id=taken.job_id, fence=taken.fence, spent=1.0, elapsed_seconds=1.0)
    with store.transaction(WORKER, lambda: end, lease_seconds=LEASE_SECONDS):
        pass
    assert left(store) == 3


def test_an_unstarted_hand_back_returns_its_reserve(store: Store) -> None:
    enqueue(store, 4)
    for lease in take(store):
        settle(store, lease, "released")
    assert len(take(store)) == 4


def test_a_hand_back_after_the_start_keeps_its_reserve(store: Store) -> None:
    enqueue(store, 1, 4.0)
    (taken,) = take(store)
    settle(store, taken, "released", elapsed_seconds=1.0)
    assert left(store) == 0


def test_a_hand_back_after_the_start_may_say_what_it_spent(store: Store) -> None:
    enqueue(store, 1, 4.0)
    (taken,) = take(store)
    settle(store, taken, "released", elapsed_seconds=1.0, spent=1.0)
    assert left(store) == 3


def test_a_claim_whose_answer_was_lost_returns_its_reserve(store: Store) -> None:
    enqueue(store, 4)
    take(store)
    assert store.release_unknown(WORKER, []) == 4
    assert len(take(store)) == 4


def test_a_killed_attempt_keeps_its_reserve(store: Store) -> None:
    enqueue(store, 1, 4.0)
    take(store)
    lapse(store)
    promote(store)
    assert left(store) == 0


def test_a_retry_reserves_anew(store: Store) -> None:
    enqueue(store, 1, 2.0)
    (taken,) = take(store)
    settle(store, taken, "failed", error="Boom", delay_seconds=0.0, elapsed_seconds=1.0)
    promote(store)
    assert len(take(store)) == 1
    assert left(store) == 0


def test_a_repeated_finish_charges_once(store: Store) -> None:
    enqueue(store, 1, 4.0)
    (taken,) = take(store)
    assert settle(store, taken, "succeeded", spent=3.0) == "settled"
    assert settle(store, taken, "succeeded", spent=3.0) == "already"
    assert left(store) == 1


def test_a_worker_that_lost_its_lease_charges_nothing(store: Store) -> None:
    enqueue(store, 1, 3.0)
    (taken,) = take(store)
    lapse(store)
    assert settle(store, taken, "succeeded", spent=0.0) == "lost"
    end = Settlement(job_id=taken.job_id, fence=taken.fence, spent=0.0)
    with (
        pytest.raises(LeaseLost),
        store.transaction(WORKER, lambda: end, lease_seconds=LEASE_SECONDS),
    ):
        pass
    assert left(store) == 1
