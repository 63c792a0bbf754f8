"""Claims of a queue with a limit beside each other, and beside the setting of that limit.

A claim locks the queue's turnstile, then counts its leases in a later statement.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Rule
from leasehold.model.values import Only
from tests.conformance.kit import HOST, STRANGE, claim, declare, make_batch, new_jobs, place_of
from tests.conformance.test_queue_limits import QUEUE, take, take_lane, take_parked
from tests.races.kit import mutate_function

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.values import Claim
    from leasehold.store.postgres.store import PostgresStore
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

SECOND = WorkerId(2)
LIMIT = 3
LOCK = """
      FOR UPDATE SKIP LOCKED);
    EXIT WHEN mine"""
NO_LOCK = """);
    EXIT WHEN mine"""


def running(tables: Tables) -> int:
    return len(tables.rows("lease"))


@pytest.fixture
def filled(race: PostgresRace) -> None:
    """A queue with more of each sort than its limit."""
    declare(race.store, Rule(name="domain", running=9))
    batch = make_batch(race.store)
    race.store.enqueue(new_jobs(4, kind=STRANGE))
    assert claim(race.store, kinds=["other"]) == []
    race.store.enqueue(new_jobs(8, batch=batch) + new_jobs(4, lane=HOST))
    race.store.limit_queue(QUEUE, running=LIMIT, by=None)


WAYS: dict[str, Callable[[PostgresStore], list[Claim]]] = {
    "ready": lambda store: take(store, worker=SECOND),
    "kinds": lambda store: take(store, only=Only(None, frozenset({"greet"})), worker=SECOND),
    "parked": take_parked,
    "lanes": lambda store: take_lane(store, place_of(HOST)),
}


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("second", WAYS)
@pytest.mark.parametrize("first", WAYS)
def test_two_claims_at_once_take_no_more_than_the_limit(
    race: PostgresRace, tables: Tables, first: str, second: str
) -> None:
    with race.uncommitted() as side:
        assert len(WAYS[first](side.store)) == LIMIT
        assert WAYS[second](race.store) == []
        side.commit()
    assert WAYS[second](race.store) == []
    assert running(tables) == LIMIT


@pytest.mark.usefixtures("filled")
@pytest.mark.parametrize("way", WAYS)
def test_mutant_without_the_lock_two_claims_take_twice_as_many(
    race: PostgresRace, tables: Tables, way: str
) -> None:
    with mutate_function(race.url, "queue_room", LOCK, NO_LOCK), race.uncommitted() as side:
        assert len(WAYS["ready"](side.store)) == LIMIT
        WAYS[way](race.store)
        side.commit()
    assert running(tables) == 2 * LIMIT


def test_a_claim_that_waited_a_little_for_another_takes_what_is_left(race: PostgresRace) -> None:
    race.store.enqueue(new_jobs(8))
    race.store.limit_queue(QUEUE, running=LIMIT, by=None)
    with race.uncommitted() as side:
        assert len(take(side.store, limit=2)) == 2
        waiting = race.start(lambda: take(race.store, worker=SECOND))
        side.commit()
        taken = waiting.result(20)
    assert len(taken) in {0, 1}  # it looks for a few milliseconds
    assert len(take(race.store)) == 1 - len(taken)


def test_one_that_rolls_back_leaves_its_slots(race: PostgresRace) -> None:
    race.store.enqueue(new_jobs(8))
    race.store.limit_queue(QUEUE, running=LIMIT, by=None)
    with race.uncommitted() as side:
        assert len(take(side.store)) == LIMIT
        side.roll_back()
    assert len(take(race.store)) == LIMIT


def test_a_claim_under_way_when_a_limit_is_set_is_counted_afterwards(
    race: PostgresRace, tables: Tables
) -> None:
    race.store.enqueue(new_jobs(8))
    with race.uncommitted() as side:
        assert len(claim(side.store, limit=2)) == 2
        race.store.limit_queue(QUEUE, running=LIMIT, by=None)
        side.commit()
    assert len(take(race.store)) == 1
    assert [row["gate"] for row in tables.rows("lease")] == [QUEUE] * LIMIT


def test_mutant_that_does_not_look_for_such_leases_takes_too_many(race: PostgresRace) -> None:
    race.store.enqueue(new_jobs(8))
    guard = "IF said.unmarked_since IS NOT NULL THEN"
    with (
        mutate_function(race.url, "queue_room", guard, "IF false THEN"),
        race.uncommitted() as side,
    ):
        assert len(claim(side.store, limit=2)) == 2
        race.store.limit_queue(QUEUE, running=LIMIT, by=None)
        side.commit()
        assert len(take(race.store)) == LIMIT


def test_a_lease_that_is_locked_just_now_counts_without_its_mark(
    race: PostgresRace, tables: Tables
) -> None:
    race.store.enqueue(new_jobs(8))
    assert len(claim(race.store, limit=2)) == 2
    with race.uncommitted() as side:
        side.connection.execute("SELECT FROM leasehold.lease FOR UPDATE")
        race.store.limit_queue(QUEUE, running=LIMIT, by=None)
        assert len(take(race.store)) == 1
    assert sorted(str(row["gate"]) for row in tables.rows("lease")) == ["None", "None", QUEUE]
    assert take(race.store) == []
    assert {row["gate"] for row in tables.rows("lease")} == {QUEUE}


def test_a_limit_is_looked_after_for_a_minute_and_then_costs_one_count(
    race: PostgresRace, tables: Tables
) -> None:
    race.store.enqueue(new_jobs(8))
    race.store.limit_queue(QUEUE, running=LIMIT, by=None)
    take(race.store, limit=1)
    assert tables.rows("queue")[0]["unmarked_since"] is not None
    tables.execute("UPDATE leasehold.queue SET unmarked_since = unmarked_since - interval '61 s'")
    take(race.store, limit=1)
    assert tables.rows("queue")[0]["unmarked_since"] is None
    race.store.limit_queue(QUEUE, running=LIMIT + 1, by=None)
    assert tables.rows("queue")[0]["unmarked_since"] is None
    assert len(take(race.store)) == 2
