"""Random operations on schedules, on both stores and on a model; wrong stores are found out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from leasehold.store import open_store
from tests.conformance.tables import open_tables
from tests.properties.mutants import Mutant
from tests.properties.schedule_machine import ScheduleMachine

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.schedules import Firing, ScheduleInfo
    from leasehold.store.base import Store

ENOUGH = 300


def run(url: str, search: settings, wrap: Callable[[Store], Any] = lambda store: store) -> None:
    with open_tables(url) as tables:

        def machine() -> ScheduleMachine:
            tables.empty()
            return ScheduleMachine(lambda: wrap(open_store(url)), tables)

        run_state_machine_as_test(machine, settings=search)  # type: ignore[arg-type] # it makes one


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(f"{request.param}_url")
    _migrate(found)
    return found


def _migrate(url: str) -> None:
    store = open_store(url)
    store.migrate()
    store.close()


@pytest.mark.timeout(600)
def test_the_store_does_what_the_model_does(url: str, search: settings) -> None:
    run(url, settings(search, max_examples=max(1, search.max_examples // 2)))


class FiresPaused(Mutant):
    """Does not look whether it is paused."""

    def fire(self, firing: Firing) -> bool:
        return self._store.fire(msgspec.structs.replace(firing, is_by_hand=True))


class FiresAgain(Mutant):
    """Takes an old sight for a new one."""

    def fire(self, firing: Firing) -> bool:
        seen = self._store.schedule(firing.name, tenant=firing.tenant)
        if seen is None:
            return False
        as_if = {"next_at": seen.next_at, "version": seen.version}
        return self._store.fire(msgspec.structs.replace(firing, **as_if))


class Undoes(Mutant):
    """A change that was computed before a firing brings its slot back."""

    def put_schedule(self, wanted: Any, *, seen: ScheduleInfo | None, **rest: Any) -> bool:
        newest = seen and self._store.schedule(seen.name, tenant=seen.tenant)
        is_same = newest and seen and newest.version == seen.version
        return self._store.put_schedule(wanted, seen=newest if is_same else seen, **rest)


class Forgets(Mutant):
    """Moves on without its jobs."""

    def fire(self, firing: Firing) -> bool:
        return self._store.fire(msgspec.structs.replace(firing, jobs=[]))


@pytest.mark.parametrize("mutant", [FiresPaused, FiresAgain, Undoes, Forgets])
def test_a_wrong_store_is_found_out(
    sqlite_url: str, search: settings, mutant: type[Mutant]
) -> None:
    _migrate(sqlite_url)
    hunt = settings(search, max_examples=ENOUGH, phases=[Phase.generate])
    with pytest.raises(AssertionError):
        run(sqlite_url, hunt, mutant)
