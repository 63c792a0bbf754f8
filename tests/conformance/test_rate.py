"""Rates: in no window more is started than burst + rate x window, whatever is killed.

A token takes far longer to come back than a test runs, so that only the tests move the clock.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from leasehold.model.lanes import Rule, RuleChange
from tests.conformance.kit import (
    OTHER,
    STRANGE,
    WORKER,
    claim_lanes,
    declare,
    look,
    look_lanes,
    new_job,
    new_jobs,
    pass_time,
    place_of,
    promote,
    reclaim,
    settle,
    start_one,
    take_lanes,
)

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store

MODEL = "openai:gpt"
IN_MODEL = place_of(MODEL)
TOKEN_SECONDS = 100_000.0
RATE = 1 / TOKEN_SECONDS
BURST = 4


@pytest.fixture(autouse=True)
def four_then_slowly(store: Store) -> None:
    declare(store, Rule(name="openai", rate=RATE, burst=BURST))


def enqueue(store: Store, count: int, cost: float | None = None) -> None:
    store.enqueue(new_jobs(count, lane=MODEL, cost=cost))


def pass_tokens(store: Store, count: float) -> None:
    """Let so many tokens come back."""
    pass_time(store, count * TOKEN_SECONDS)


def take(store: Store, *, worker: WorkerId = WORKER, limit: int = 100) -> list[Claim]:
    """Ask for the lane without a look: what a look says must not matter."""
    return claim_lanes(store, IN_MODEL, worker=worker, limit=limit)


def left(store: Store) -> int:
    """Count the whole tokens that are left, by using them up."""
    store.enqueue(new_jobs(20, lane=MODEL, cost=1.0, priority=9))
    return len(claim_lanes(store, place_of(MODEL, priority=9)))


def test_a_burst_then_the_rate(store: Store) -> None:
    enqueue(store, 20)
    assert [len(take(store)), len(take(store))] == [4, 0]
    pass_tokens(store, 1)
    assert [len(take(store)), len(take(store))] == [1, 0]
    pass_tokens(store, 2.5)
    assert [len(take(store)), len(take(store))] == [2, 0]
    pass_tokens(store, 0.5)
    assert len(take(store)) == 1
    pass_tokens(store, 100)
    assert [len(take(store)), len(take(store))] == [4, 0]


def test_a_rate_is_one_for_all_workers_and_lanes_of_a_key(store: Store) -> None:
    store.enqueue(new_jobs(3, lane=MODEL, queue="a"))
    store.enqueue(new_jobs(3, lane=MODEL, queue="b", priority=5))
    here, there = place_of(MODEL, queue="a"), place_of(MODEL, queue="b", priority=5)

    assert len(claim_lanes(store, here)) == 3
    assert len(claim_lanes(store, here, there, worker=OTHER)) == 1
    assert claim_lanes(store, here, there) == []


def test_one_claim_of_two_lanes_spends_a_rate_once(store: Store) -> None:
    store.enqueue([*new_jobs(3, lane=MODEL, priority=5), *new_jobs(3, lane=MODEL)])
    taken = claim_lanes(store, place_of(MODEL, priority=5), IN_MODEL)
    assert [lease.priority for lease in taken] == [5, 5, 5, 0]
    assert left(store) == 0


def test_each_key_of_a_rule_has_the_rate_for_itself(store: Store) -> None:
    enqueue(store, 6)
    store.enqueue(new_jobs(6, lane="openai:other"))
    assert len(take_lanes(store)) == 8


def test_a_job_spends_what_it_is_expected_to_cost(store: Store) -> None:
    for cost in (1.5, 1.5, 1.5):
        enqueue(store, 1, cost)
    assert len(take(store)) == 2
    assert left(store) == 1


def test_a_job_that_costs_nothing_still_waits_for_a_debt_to_be_paid(store: Store) -> None:
    enqueue(store, 3, 0.0)
    assert len(take(store, limit=1)) == 1
    enqueue(store, 1, 9.0)
    (_, _, dear) = take(store)
    settle(store, dear, "succeeded", spent=9.0)
    enqueue(store, 1, 0.0)
    assert take(store) == []


def test_a_look_tells_when_the_first_of_a_lane_may_start(store: Store) -> None:
    enqueue(store, 6, 2.0)
    assert look_lanes(store)[0].room > 0
    assert len(take(store)) == 2
    pass_tokens(store, 0.5)

    (seen,) = look_lanes(store)
    assert seen.room == 0
    assert seen.opens_seconds is not None
    assert 1.4 < seen.opens_seconds / TOKEN_SECONDS <= 1.5
    pass_time(store, seen.opens_seconds)
    assert len(take(store)) == 1


def test_a_rate_and_a_limit_hold_together(store: Store) -> None:
    declare(store, Rule(name="openai", rate=RATE, burst=4.0, running=3))
    enqueue(store, 9)
    first, *_ = taken = take(store)
    assert len(taken) == 3
    settle(store, first, "succeeded")
    assert [len(take(store)), len(take(store))] == [1, 0]
    settle(store, taken[1], "succeeded")
    assert take(store) == []


def test_a_job_that_is_set_aside_spends_nothing(store: Store) -> None:
    store.enqueue([new_job(lane=MODEL, kind=STRANGE, cost=3.0)])
    assert take(store) == []
    assert left(store) == 4


def test_a_cost_over_the_burst_runs_alone_and_leaves_a_debt(store: Store) -> None:
    enqueue(store, 1)
    enqueue(store, 1, 6.0)
    enqueue(store, 2)
    (small,) = take(store)
    assert take(store) == []  # the dear one waits for a full bucket, and nobody overtakes it
    settle(store, small, "succeeded")
    pass_tokens(store, 1)
    (dear,) = take(store)
    assert dear.job_id != small.job_id
    pass_tokens(store, 2.5)
    assert take(store) == []
    pass_tokens(store, 0.5)
    assert len(take(store)) == 1


def test_a_rate_changed_at_run_time_counts_from_then_on(store: Store) -> None:
    enqueue(store, 30)
    take(store)
    store.change_throttle("openai", RuleChange(rate=10 * RATE, burst=6.0, by="ops"))
    pass_tokens(store, 10)
    assert [len(take(store)), len(take(store))] == [6, 0]
    pass_tokens(store, 0.2)
    assert [len(take(store)), len(take(store))] == [2, 0]


def test_a_burst_made_smaller_holds_at_once(store: Store) -> None:
    enqueue(store, 9)
    store.change_throttle("openai", RuleChange(burst=2.0, by="ops"))
    assert len(take(store)) == 2


def test_a_keys_own_rate_goes_before_its_rules(store: Store) -> None:
    enqueue(store, 9)
    store.change_throttle(MODEL, RuleChange(rate=2 * RATE, burst=2.0, by="ops"))
    assert len(take(store)) == 2
    pass_tokens(store, 1)
    assert len(take(store)) == 2


def test_a_rate_that_is_lifted_holds_no_more(store: Store) -> None:
    declare(store, Rule(name="openai", rate=RATE, burst=4.0, running=20))
    enqueue(store, 9)
    take(store)
    store.change_throttle("openai", RuleChange(rate=None, burst=None, by="ops"))
    assert len(take(store)) == 5


def test_a_refill_forgets_what_was_used_up(store: Store) -> None:
    enqueue(store, 9)
    (first, *_) = take(store)
    settle(store, first, "succeeded", spent=20.0)
    assert store.refill_throttle(MODEL)
    assert len(take(store)) == 4


def test_there_is_nothing_to_refill_where_nothing_was_used(store: Store) -> None:
    assert not store.refill_throttle(MODEL)


def test_tokens_left_are_shown(store: Store) -> None:
    declare(store, Rule(name="sms", rate=RATE, burst=4.0))

    def tokens() -> float | None:
        (shown,) = [each.tokens for each in store.throttles() if each.name == "sms"]
        return shown

    assert tokens() == 4.0
    taken = start_one(store, lane="sms", cost=3.0)
    assert tokens() == pytest.approx(1.0, abs=0.01)
    settle(store, taken, "succeeded", spent=2.0)
    assert tokens() == pytest.approx(2.0, abs=0.01)


def step(store: Store, chance: random.Random) -> list[tuple[float, float]]:
    """Do one thing; return what was started, as (when, cost)."""
    match chance.randrange(6):
        case 0:
            enqueue(store, 4, chance.choice([None, 0.5, 2.0]))
        case 1 | 2:
            pass_tokens(store, chance.choice([0.25, 0.5, 1, 3]))
        case 3:  # whoever had leases was killed
            reclaim(store)
            promote(store)
        case _:
            taken = take(store, worker=chance.choice([WORKER, OTHER]), limit=3)
            costs = [look(store, lease.job_id).cost for lease in taken]
            return [(store.skew_seconds, 1.0 if cost is None else cost) for cost in costs]
    return []


@pytest.mark.parametrize("seed", range(3))
def test_in_no_window_more_is_started_than_the_burst_and_the_rate_allow(
    store: Store, seed: int
) -> None:
    chance = random.Random(seed)
    enqueue(store, 20)
    started = [begin for _ in range(60) for begin in step(store, chance)]

    assert len(started) > 10
    for number, (begin, _) in enumerate(started):
        spent = 0.0
        for when, cost in started[number:]:
            spent += cost
            assert spent <= BURST + RATE * (when - begin) + 0.01
