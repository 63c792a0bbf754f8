"""Many fire one slot at once: one succeeds, nobody waits, and what is rolled back never was."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from leasehold.errors import StoreBusy
from leasehold.model.keys import Unique
from leasehold.store import open_store
from leasehold.store.sqlite.schedules import Schedules as SqliteSchedules
from tests.conformance.kit import claim, new_job
from tests.conformance.test_schedules import LONG_AGO, firing, get, put, wanted
from tests.races.kit import mutate, mutate_function

if TYPE_CHECKING:
    from leasehold.model.schedules import Firing
    from leasehold.store.base import Store
    from tests.races.kit import PostgresRace

HANDS = 5
SLOTS = 20
SEEN = "AND next_at IS NOT DISTINCT FROM seen_next"


def fire_at_once(url: str, given: Firing) -> int:
    """Fire the same slot from several connections; returns how many succeeded."""
    with ThreadPoolExecutor(HANDS) as pool:
        return sum(pool.map(lambda _: _fire(url, given), range(HANDS)))


def _fire(url: str, given: Firing) -> bool:
    with closing(open_store(url)) as store:
        return store.fire(given)


def test_of_several_who_fire_a_slot_at_once_one_succeeds(store: Store) -> None:
    put(store)
    for _ in range(SLOTS):
        assert fire_at_once(store.url, firing(get(store))) == 1
    assert len(claim(store)) == SLOTS


def test_without_the_look_at_the_next_slot_a_late_one_would_fire_again(
    race: PostgresRace,
) -> None:
    seen = put(race.store)
    assert race.store.fire(firing(seen))
    assert not race.store.fire(firing(seen))
    with mutate_function(race.url, "fire", SEEN, ""):
        assert race.store.fire(firing(seen)), "this guard is what refused it"


def test_without_it_on_sqlite_too(sqlite_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqliteSchedules, "_may_fire", lambda *_: True)  # as seen before the lock
    with closing(open_store(sqlite_url)) as store:
        seen = put(store)
        assert store.fire(firing(seen))
        assert not store.fire(firing(seen))
        mutate(monkeypatch, "fire", "AND next_at IS :next_at")
        assert store.fire(firing(seen)), "this guard is what refused it"


def test_who_comes_while_another_one_fires_does_not_wait(race: PostgresRace) -> None:
    seen = put(race.store)
    with race.uncommitted() as side:
        assert side.store.fire(firing(seen))
        assert not race.store.fire(firing(seen)), "it is left to the other one"
        side.commit()
    assert len(claim(race.store)) == 1


def test_without_skipping_it_would_wait(race: PostgresRace) -> None:
    seen = put(race.store)
    with (
        mutate_function(race.url, "fire", "FOR UPDATE SKIP LOCKED", "FOR UPDATE"),
        race.uncommitted() as side,
    ):
        assert side.store.fire(firing(seen))
        with pytest.raises(StoreBusy):
            race.store.fire(firing(seen))


def test_a_firing_that_is_rolled_back_leaves_its_slot_to_others(race: PostgresRace) -> None:
    seen = put(race.store)
    with race.uncommitted() as side:
        assert side.store.fire(firing(seen))
        side.roll_back()
    assert race.store.fire(firing(seen))
    assert len(claim(race.store)) == 1


def test_a_key_that_an_open_transaction_has_holds_nobody_up_for_long(race: PostgresRace) -> None:
    unique = Unique(key="report")
    seen = put(race.store, wanted(job={"unique": unique}))
    with race.uncommitted() as side:
        side.store.enqueue([new_job(unique=unique)])
        with pytest.raises(StoreBusy):
            race.store.fire(firing(seen))
        assert get(race.store).next_at == LONG_AGO, "it is tried again later"
        side.roll_back()
    assert race.store.fire(firing(seen))


def test_a_worker_that_has_a_connection_of_its_own_fires_as_well(race: PostgresRace) -> None:
    with closing(race.store.dedicated()) as own:
        for _ in range(3):
            assert own.fire(firing(get(own) if own.schedule("nightly", tenant="") else put(own)))
        assert own.due_schedules(limit=10).schedules[0].name == "nightly"
    assert len(claim(race.store)) == 3
