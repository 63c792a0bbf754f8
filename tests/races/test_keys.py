"""Many ask for one key at once, beside claims, operators and open transactions: one job stands."""

from __future__ import annotations

import os
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from leasehold.errors import KeyBusy, StoreBusy
from leasehold.model.keys import Mode, Standing, Verdict
from leasehold.model.states import State
from leasehold.store.callers import bind_caller
from leasehold.store.postgres.store import PostgresStore
from tests.conformance.key_kit import (
    KEY,
    LATEST,
    REPLACE,
    SKIP,
    Asked,
    ask,
    hand_over,
    key_of,
    keyed_job,
    run_one,
    start,
    succeed,
)
from tests.conformance.kit import (
    Place,
    bring,
    claim,
    claim_one,
    enqueue_one,
    look,
    settle,
)
from tests.conformance.tables import places
from tests.races.kit import PATIENCE_SECONDS, mutate, mutate_function

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.model.keys import Mode
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

CALLERS = 50
ROUNDS = int(os.environ.get("LEASEHOLD_KEY_ROUNDS", "20"))  # 1,000 were run for issue 4
LOCK = """INSERT INTO leasehold.key AS k (tenant, key, job_id, taken_at, series_at, memory_seconds)
    VALUES (wanted.tenant, wanted.key, wanted.id, moment, moment, wanted.memory_seconds)
    ON CONFLICT (tenant, key) DO UPDATE
    SET memory_seconds = greatest(k.memory_seconds, excluded.memory_seconds)
    RETURNING k.* INTO held;"""
NO_LOCK = """SELECT k.* INTO held FROM leasehold.key AS k
    WHERE k.tenant = wanted.tenant AND k.key = wanted.key;"""


def live_jobs(tables: Tables, key: str = KEY) -> list[str]:
    """Name the live jobs of a key that do not wait behind another."""
    ids = [str(row["id"]) for row in tables.rows("job") if row["key"] == key]
    behind = {str(row["job_id"]) for row in tables.rows("waiting") if row["stage"] == "#"}
    return [job_id for job_id in ids if places(tables, job_id) and job_id not in behind]


def test_of_fifty_at_once_one_makes_the_job_when_the_winner_rolls_back(
    race: PostgresRace, tables: Tables
) -> None:
    with ExitStack() as stack, ThreadPoolExecutor(CALLERS) as pool:
        connections = [
            stack.enter_context(closing(psycopg.connect(race.url, autocommit=True)))
            for _ in range(CALLERS - 1)
        ]
        winner = stack.enter_context(closing(psycopg.connect(race.url)))
        for number in range(ROUNDS):
            key = f"{KEY}:{number}"
            assert ask_on(race.store, winner, key=key).answer is None
            asked = [pool.submit(ask_on, race.store, each, key=key) for each in connections]
            race.wait_until_waiting(random.Random(number).randrange(1, CALLERS - 1))
            winner.rollback()
            answers = [each.result(PATIENCE_SECONDS) for each in asked]
            (made,) = live_jobs(tables, key)
            assert [str(each.id) for each in answers if each.answer is None] == [made]
            assert {str(each.standing) for each in answers} == {made}


def ask_on(store: Store, connection: Any, **options: Any) -> Asked:
    job = keyed_job(**options)
    return Asked(job.id, bind_caller(store, connection)([job]).get(job.id))


@pytest.mark.parametrize("commits", [True, False])
def test_who_asks_beside_a_take_over_learns_who_has_the_key(
    race: PostgresRace, tables: Tables, *, commits: bool
) -> None:
    run_one(race.store)  # an ended holder
    first: list[JobId] = []
    second = race.run_beside(
        lambda store: first.append(ask(store).id), lambda: ask(race.store), commits=commits
    )
    if commits:
        assert second.answer == Standing(first[0], Verdict.LIVE)
    else:
        assert second.answer is None
    assert live_jobs(tables) == [str(second.standing)]


def test_mutant_without_the_lock_two_take_one_key(race: PostgresRace, tables: Tables) -> None:
    run_one(race.store)
    with mutate_function(race.url, "enqueue_keyed", LOCK, NO_LOCK):
        race.run_beside(ask, lambda: ask(race.store))
    assert len(live_jobs(tables)) == 2


def test_a_held_key_is_refused_without_waiting_for_anybody(race: PostgresRace) -> None:
    first = ask(race.store)
    with race.uncommitted() as side:
        assert ask(side.store).standing == first.id
        with race.uncommitted() as other:  # nobody holds a lock
            assert ask(other.store, REPLACE).verdict is Verdict.REPLACED
            assert race.start(lambda: ask(race.store).standing).result(5) == first.id


def test_others_do_not_wait_for_an_open_transaction_with_a_key(race: PostgresRace) -> None:
    with race.uncommitted() as side:
        ask(side.store)
        assert race.start(lambda: ask(race.store, key="other").answer).result(5) is None
        race.start(lambda: enqueue_one(race.store)).result(5)
        assert len(claim(race.store)) == 2


def test_who_waits_too_long_is_told_for_which_keys(race: PostgresRace) -> None:
    impatient = PostgresStore(f"{race.url}?options=-c%20lock_timeout%3D100ms")
    with closing(impatient), race.uncommitted() as side:
        ask(side.store)
        with pytest.raises(KeyBusy) as busy:
            ask(impatient)
        assert busy.value.keys == (KEY,)
        assert isinstance(busy.value, StoreBusy)


def test_a_caller_who_waits_too_long_is_told_too_and_keeps_its_own_setting(
    race: PostgresRace,
) -> None:
    with race.uncommitted() as side, closing(psycopg.connect(race.url)) as caller:
        ask(side.store)
        caller.execute("SET lock_timeout = '100ms'")
        caller.commit()
        with pytest.raises(KeyBusy, match=KEY):
            ask_on(race.store, caller)
        caller.rollback()
        assert caller.execute("SHOW lock_timeout").fetchone() == ("100ms",)


def test_waiting_is_bounded_only_for_the_call(race: PostgresRace) -> None:
    with closing(psycopg.connect(race.url)) as caller:
        ask_on(race.store, caller)
        assert caller.execute("SHOW lock_timeout").fetchone() == ("0",)


def test_the_same_id_twice_at_once_is_one_job(race: PostgresRace, tables: Tables) -> None:
    job = keyed_job()
    second = race.run_beside(lambda store: store.enqueue([job]), lambda: race.store.enqueue([job]))
    assert second == {job.id: Standing(job.id, Verdict.SAME)}
    assert live_jobs(tables) == [str(job.id)]


@pytest.mark.parametrize("commits", [True, False])
def test_a_replacement_beside_a_claim_waits_and_then_knows(
    race: PostgresRace, tables: Tables, *, commits: bool
) -> None:
    first = ask(race.store)
    second = race.run_beside(claim, lambda: ask(race.store, REPLACE), commits=commits)
    if commits:
        assert second.answer == Standing(second.id, Verdict.BEHIND, first.id)
        assert live_jobs(tables) == [str(first.id)]
    else:
        assert second.answer == Standing(second.id, Verdict.REPLACED, first.id)
        assert live_jobs(tables) == [str(second.id)]


def test_latest_in_an_open_transaction_does_not_hold_up_the_running_job(
    race: PostgresRace,
) -> None:
    taken = start(race.store)
    with race.uncommitted() as side:
        behind = ask(side.store, LATEST)
        assert hand_over(race.store) == 0  # skips the key
        race.start(lambda: succeed(race.store, taken)).result(5)
        side.commit()
    assert hand_over(race.store) == 1
    assert claim_one(race.store).job_id == behind.id


@pytest.mark.parametrize("mode", [SKIP, REPLACE])  # new keys at once, and one by one
def test_calls_with_keys_in_opposite_orders_do_not_deadlock(race: PostgresRace, mode: Mode) -> None:
    first, second = cross(race, mode)
    assert (len(first), len(second)) == (0, 3)


SORTED = {
    SKIP: ("enqueue_new_keys", "ORDER BY rule.key", ""),
    REPLACE: ("enqueue_keyed", "ORDER BY tenant, key, number", "ORDER BY number"),
}


@pytest.mark.parametrize("mode", SORTED)
def test_mutant_unsorted_keys_deadlock(race: PostgresRace, mode: Mode) -> None:
    with mutate_function(race.url, *SORTED[mode]), pytest.raises(StoreBusy, match="deadlock"):
        cross(race, mode)


def cross(race: PostgresRace, mode: Mode) -> tuple[Any, Any]:
    """Let two calls lock a, m and z, in opposite orders, meet at m."""
    up = [keyed_job(mode, key=key) for key in "amz"]
    down = [keyed_job(mode, key=key) for key in "zma"]
    with race.uncommitted() as side:
        ask(side.store, key="m")
        first = race.start(lambda: race.store.enqueue(up))
        race.wait_until_waiting(1)
        second = race.start(lambda: race.store.enqueue(down))
        race.wait_until_waiting(2)
        side.roll_back()
        return first.result(PATIENCE_SECONDS), second.result(PATIENCE_SECONDS)


@pytest.mark.parametrize("commits", [True, False])
def test_an_enqueue_beside_a_retry_by_hand_learns_who_has_the_key(
    race: PostgresRace, tables: Tables, *, commits: bool
) -> None:
    dead = bring(race.store, Place.DEAD, unique=keyed_job().unique).job_id
    asked = race.run_beside(
        lambda store: store.retry(dead), lambda: ask(race.store), commits=commits
    )
    assert asked.standing == (dead if commits else asked.id)
    assert live_jobs(tables) == [str(asked.standing)]


def test_a_repeatable_read_caller_beside_a_retry_by_hand_has_to_begin_again(
    race: PostgresRace, tables: Tables
) -> None:
    dead = bring(race.store, Place.DEAD, unique=keyed_job().unique).job_id
    with closing(psycopg.connect(race.url)) as caller:
        caller.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        caller.execute("SELECT count(*) FROM leasehold.job")
        assert race.store.retry(dead) is State.QUEUED
        with pytest.raises(psycopg.errors.SerializationFailure):
            ask_on(race.store, caller)
    assert live_jobs(tables) == [str(dead)]


def test_mutant_a_retry_that_does_not_take_its_key_makes_two(
    race: PostgresRace, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch, "take_key", "leasehold.take_key(%(job_id)s, %(skew_seconds)s)", "1")
    dead = bring(race.store, Place.DEAD, unique=keyed_job().unique).job_id
    ask(race.store)
    race.store.retry(dead)
    assert len(live_jobs(tables)) == 2


def test_a_delete_beside_a_take_over_leaves_the_key_to_the_new_holder(race: PostgresRace) -> None:
    former = run_one(race.store)
    newer: list[JobId] = []
    assert (
        race.run_beside(
            lambda store: newer.append(ask(store).id), lambda: race.store.delete(former)
        )
        is None
    )
    assert key_of(race.store).holder == newer[0]


def test_a_take_over_beside_a_delete_begins_with_a_new_key(race: PostgresRace) -> None:
    former = run_one(race.store)
    asked = race.run_beside(lambda store: store.delete(former), lambda: ask(race.store))
    assert asked.answer is None
    assert key_of(race.store).holder == asked.id


def wait_behind_one_that_was_handed_back(store: Store) -> tuple[JobId, JobId]:
    """Make a ready holder with a successor that is yet to be let go."""
    taken = start(store)
    behind = ask(store, REPLACE)
    settle(store, taken, "released")
    return taken.job_id, behind.id


def test_a_key_is_not_handed_over_beside_a_claim_of_its_holder(
    race: PostgresRace, tables: Tables
) -> None:
    holder, behind = wait_behind_one_that_was_handed_back(race.store)
    moved = race.run_beside(claim, lambda: hand_over(race.store))
    assert moved == 0
    assert live_jobs(tables) == [str(holder)]
    assert key_of(race.store).next == behind


def test_mutant_without_the_second_look_two_of_one_key_run(
    race: PostgresRace, tables: Tables
) -> None:
    wait_behind_one_that_was_handed_back(race.store)
    guard = "CONTINUE WHEN leasehold.place_of(held.job_id) IS NOT NULL;"
    with mutate_function(race.url, "hand_over", guard, ""):
        race.run_beside(claim, lambda: hand_over(race.store))
    assert len(live_jobs(tables)) == 2


REPRIORITISED = """CONTINUE WHEN EXISTS ( -- it was just given another priority
      SELECT FROM leasehold.waiting WHERE job_id = held.next AND stage = '#'
    );"""


def hand_over_beside_a_new_priority(race: PostgresRace) -> JobId:
    taken = start(race.store)
    behind = ask(race.store, REPLACE).id
    succeed(race.store, taken)
    race.run_beside(lambda store: store.reprioritise(behind, 9), lambda: hand_over(race.store))
    hand_over(race.store)
    return behind


def test_one_behind_that_is_just_reprioritised_is_not_left_behind(race: PostgresRace) -> None:
    behind = hand_over_beside_a_new_priority(race)
    assert claim_one(race.store).job_id == behind


def test_mutant_one_that_was_just_moving_is_left_behind_for_ever(race: PostgresRace) -> None:
    with mutate_function(race.url, "hand_over", REPRIORITISED, ""):
        behind = hand_over_beside_a_new_priority(race)
    assert look(race.store, behind).state is State.BLOCKED
    assert claim(race.store) == []


ENDING = """CONTINUE WHEN successor IS NOT NULL
        AND NOT leasehold.end_waiting(successor, moment, 'replaced by job ' || wanted.id);"""


def replace_beside_a_new_priority(race: PostgresRace) -> tuple[JobId, JobId]:
    start(race.store)
    older = ask(race.store, REPLACE).id
    newer = race.run_beside(
        lambda store: store.reprioritise(older, 9), lambda: ask(race.store, REPLACE)
    )
    return older, newer.id


def test_one_behind_that_is_just_reprioritised_is_replaced(race: PostgresRace) -> None:
    older, newer = replace_beside_a_new_priority(race)
    assert look(race.store, older).state is State.CANCELLED
    assert key_of(race.store).next == newer


def test_mutant_one_that_was_just_moving_is_not_replaced_and_nobody_names_it(
    race: PostgresRace, tables: Tables
) -> None:
    once = "PERFORM leasehold.end_waiting(successor, moment, 'replaced by job ' || wanted.id);"
    with mutate_function(race.url, "enqueue_keyed", ENDING, once):
        older, _ = replace_beside_a_new_priority(race)
    assert look(race.store, older).state is State.BLOCKED
    assert str(older) not in {str(row["next"]) for row in tables.rows("key")}


def test_mutant_a_delete_that_drops_a_key_with_a_successor_leaves_it_behind(
    race: PostgresRace,
) -> None:
    guard = "AND leasehold.place_of(held.next) IS NULL"
    with mutate_function(race.url, "release_key", guard, ""):
        holder, behind = wait_behind_one_that_was_handed_back(race.store)
        race.store.delete(holder)
    assert hand_over(race.store) == 0
    assert look(race.store, behind).state is State.BLOCKED


@pytest.mark.parametrize("mode", [REPLACE, LATEST])
def test_rolled_back_a_replacement_never_was(
    race: PostgresRace, tables: Tables, mode: Mode
) -> None:
    first = ask(race.store)
    with race.uncommitted() as side:
        ask(side.store, mode)
        assert claim(race.store) == []  # it is the other's to end
    assert live_jobs(tables) == [str(first.id)]
    assert claim_one(race.store).job_id == first.id
