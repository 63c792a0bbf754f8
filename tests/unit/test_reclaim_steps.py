"""Reclaim in virtual time: seen lapsed twice, a third of the lease apart, with no gap between."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from leasehold.errors import StoreError, StoreUnavailable
from leasehold.model.ids import Fence, uuid7
from leasehold.model.states import State
from leasehold.model.values import Lapsed
from leasehold.upkeep.reclaim import LONGEST_GAP_SECONDS, Reclaim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.ids import JobId

LEASE_SECONDS = 30.0


def lapsed(lapses: int = 0, lease_seconds: float = LEASE_SECONDS) -> Lapsed:
    return Lapsed(uuid7(0, os.urandom(10)), Fence(1), "100", lease_seconds, lapses)


class FakeStore:
    """Lists what the test says, and notes what is taken back, with the delays."""

    def __init__(self) -> None:
        self.leases: list[Lapsed] = []
        self.taken: list[tuple[Lapsed, float]] = []
        self.error: StoreError | None = None

    def lapsed(self, *, limit: int) -> list[Lapsed]:
        if self.error is not None:
            raise self.error
        return self.leases[:limit]

    def reclaim(self, leases: Sequence[tuple[Lapsed, float]]) -> dict[JobId, State]:
        self.taken += leases
        taken = {each.job_id for each, _ in leases}
        self.leases = [each for each in self.leases if each.job_id not in taken]
        return dict.fromkeys(taken, State.QUEUED)


class Upkeep:
    def __init__(self) -> None:
        self.store = FakeStore()
        self.now = 50.0
        self.reclaim = Reclaim(self.store, clock=lambda: self.now, chance=lambda: 0.5)  # type: ignore[arg-type]

    def look(self, *, after: float = 0.0) -> int:
        self.now += after
        return self.reclaim.step()

    def look_every_second(self, seconds: int) -> int:
        return sum(self.look(after=1.0) for _ in range(seconds))


@pytest.fixture
def upkeep() -> Upkeep:
    return Upkeep()


def test_nothing_lapsed_means_nothing_taken(upkeep: Upkeep) -> None:
    assert upkeep.look() == 0
    assert upkeep.store.taken == []


def test_a_lease_is_not_taken_when_it_is_seen_first(upkeep: Upkeep) -> None:
    upkeep.store.leases = [lapsed()]
    assert upkeep.look() == 0


def test_it_is_taken_a_third_of_its_lease_later_and_not_before(upkeep: Upkeep) -> None:
    upkeep.store.leases = [lapsed()]
    assert upkeep.look() == 0
    assert upkeep.look_every_second(9) == 0
    assert upkeep.look(after=1.0) == 1


def test_each_lease_waits_for_its_own_third(upkeep: Upkeep) -> None:
    short, long = lapsed(lease_seconds=6.0), lapsed(lease_seconds=60.0)
    upkeep.store.leases = [short, long]
    upkeep.look()
    upkeep.look_every_second(2)
    assert [each for each, _ in upkeep.store.taken] == [short]
    upkeep.look_every_second(18)
    assert [each for each, _ in upkeep.store.taken] == [short, long]


def test_a_lease_that_was_renewed_and_lapsed_again_is_seen_anew(upkeep: Upkeep) -> None:
    first = lapsed()
    upkeep.store.leases = [first]
    upkeep.look()
    upkeep.look_every_second(8)
    upkeep.store.leases = [replace(first, until="200")]
    assert upkeep.look_every_second(5) == 0


def test_a_lease_that_was_gone_for_one_look_is_seen_anew(upkeep: Upkeep) -> None:
    lease = lapsed()
    upkeep.store.leases = [lease]
    upkeep.look_every_second(9)
    upkeep.store.leases = []
    upkeep.look(after=1.0)
    upkeep.store.leases = [lease]
    assert upkeep.look_every_second(9) == 0
    assert upkeep.look_every_second(3) == 1


def test_a_gap_between_looks_begins_anew(upkeep: Upkeep) -> None:
    upkeep.store.leases = [lapsed()]
    upkeep.look()
    assert upkeep.look(after=LONGEST_GAP_SECONDS + 1) == 0
    assert upkeep.look_every_second(9) == 0
    assert upkeep.look(after=1.0) == 1


def test_a_gap_before_the_very_first_look_changes_nothing(upkeep: Upkeep) -> None:
    upkeep.store.leases = [lapsed()]
    assert upkeep.look(after=1000.0) == 0
    assert upkeep.look_every_second(10) == 1


def test_an_error_of_the_store_begins_anew_and_is_passed_on(upkeep: Upkeep) -> None:
    upkeep.store.leases = [lapsed()]
    upkeep.look_every_second(9)
    upkeep.store.error = StoreUnavailable("away")
    with pytest.raises(StoreUnavailable):
        upkeep.look(after=1.0)
    upkeep.store.error = None
    assert upkeep.look_every_second(10) == 0
    assert upkeep.look(after=1.0) == 1


@pytest.mark.parametrize(("lapses", "delay"), [(0, 1.0), (1, 1.0), (2, 2.0), (5, 16.0), (9, 30.0)])
def test_the_delay_grows_with_the_lapses_and_is_left_to_chance(
    upkeep: Upkeep, lapses: int, delay: float
) -> None:
    upkeep.store.leases = [lapsed(lapses)]
    upkeep.look()
    upkeep.look_every_second(10)
    assert [seconds for _, seconds in upkeep.store.taken] == [delay]
