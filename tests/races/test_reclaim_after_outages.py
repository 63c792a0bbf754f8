"""A database that was away for longer than the lease comes back: live workers keep their jobs.

The database's clock is the store's skew, the worker's own is a number that the test moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.errors import StoreUnavailable
from leasehold.model.states import State
from leasehold.upkeep import reclaim as reclaim_module
from leasehold.upkeep.reclaim import Reclaim
from tests.conformance.kit import LEASE_SECONDS, WORKER, held, look, pass_time, start_many
from tests.worker.kit import ChangedStore

if TYPE_CHECKING:
    import pytest

    from leasehold.model.values import Claim, Lapsed
    from leasehold.store.base import Store

LOOK_SECONDS = 1.0


class SeenOnce(Reclaim):
    """The mutant that reclaims what it sees lapsed at once."""

    def step(self) -> int:
        lapsed = self._look()
        return self._take_back(lapsed) if lapsed else 0


class World:
    """A worker's upkeep, with the time of both sides in the test's hands."""

    def __init__(self, store: Store, kind: type[Reclaim] = Reclaim) -> None:
        self.store = store
        self.now = 1000.0
        self.is_down = False
        changed = ChangedStore(store, lapsed=self._lapsed)
        self.reclaim = kind(changed, clock=lambda: self.now, chance=lambda: 0.5)

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        pass_time(self.store, seconds)

    def look_for(self, seconds: float) -> int:
        """Let time pass, looking every second."""
        taken = 0
        for _ in range(round(seconds / LOOK_SECONDS)):
            self.pass_time(LOOK_SECONDS)
            taken += self.look()
        return taken

    def look(self) -> int:
        try:
            return self.reclaim.step()
        except StoreUnavailable:
            return 0

    def _lapsed(self, store: Store, *, limit: int) -> list[Lapsed]:
        if self.is_down:
            raise StoreUnavailable("away")
        return store.lapsed(limit=limit)


def renew(store: Store, taken: list[Claim]) -> None:
    assert store.renew(WORKER, [held(one) for one in taken]).lost == frozenset()


def test_an_outage_longer_than_the_lease_takes_no_live_workers_jobs(store: Store) -> None:
    world, taken = World(store), start_many(store, 3)
    world.is_down = True
    world.look_for(3 * LEASE_SECONDS)
    world.is_down = False

    assert world.look() == 0  # all of them look lapsed now
    world.look_for(5)
    renew(store, taken)  # the live worker comes back, a few seconds later
    assert world.look_for(LEASE_SECONDS - 10) == 0
    assert {look(store, one.job_id).state for one in taken} == {State.RUNNING}


def test_what_does_not_come_back_after_the_outage_is_taken_a_third_of_the_lease_later(
    store: Store,
) -> None:
    world = World(store)
    start_many(store, 3)
    world.is_down = True
    world.look_for(3 * LEASE_SECONDS)
    world.is_down = False
    assert world.look_for(LEASE_SECONDS / 3 - 1) == 0
    assert world.look_for(3) == 3


def test_mutant_that_sees_once_takes_live_workers_jobs(store: Store) -> None:
    world, taken = World(store, SeenOnce), start_many(store, 3)
    world.is_down = True
    world.look_for(3 * LEASE_SECONDS)
    world.is_down = False
    assert world.look() == 3
    assert store.renew(WORKER, [held(one) for one in taken]).lost == {one.job_id for one in taken}


def fall_silent_while_lapsed(store: Store) -> int:
    """See leases lapsed, then neither look nor hear anything for long, then look once."""
    world, taken = World(store), start_many(store, 3)
    world.pass_time(LEASE_SECONDS + 1)
    assert world.look() == 0
    world.pass_time(LEASE_SECONDS)  # a stopped process, or a query that took so long
    found = world.look()
    renewal = store.renew(WORKER, [held(one) for one in taken])
    assert len(renewal.lost) == found
    return found


def test_a_gap_between_two_looks_begins_the_waiting_anew(store: Store) -> None:
    assert fall_silent_while_lapsed(store) == 0


def test_mutant_without_the_gap_rule_takes_them_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reclaim_module, "LONGEST_GAP_SECONDS", float("inf"))
    assert fall_silent_while_lapsed(store) == 3


def fail_between_two_looks(store: Store) -> int:
    """See leases lapsed, have the database away for a third of the lease, look again."""
    world = World(store)
    start_many(store, 3)
    world.pass_time(LEASE_SECONDS + 1)
    assert world.look() == 0
    world.is_down = True
    world.look_for(LEASE_SECONDS / 3)
    world.is_down = False
    return world.look()


def test_an_error_between_two_looks_begins_the_waiting_anew(store: Store) -> None:
    assert fail_between_two_looks(store) == 0


def test_mutant_that_forgets_nothing_at_an_error_takes_them_at_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Reclaim, "_look", lambda self: self._store.lapsed(limit=100))
    monkeypatch.setattr(reclaim_module, "LONGEST_GAP_SECONDS", float("inf"))
    assert fail_between_two_looks(store) == 3
