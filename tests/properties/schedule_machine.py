"""Random operations on schedules, beside a model of them: sights may be old, as those of a race."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from leasehold.model.schedules import Firing, NewSchedule, make_job, read_schedule
from leasehold.scheduling import NO_ID
from tests.conformance.kit import new_job, raw

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.schedules import ScheduleInfo
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

START = datetime(2026, 1, 1, tzinfo=UTC)
HOUR = timedelta(hours=1)
NAMES = ("a", "b")
TENANTS = ("", "acme")
PEOPLE = (None, "ada")
MOST_SIGHTS = 12

names, tenants, people = map(st.sampled_from, (NAMES, TENANTS, PEOPLE))
picks = st.integers(0, 2**16)


@dataclass(slots=True)
class Row:
    """What is known of one schedule."""

    next_at: datetime
    by: str | None
    version: int = 1
    number: int = 0
    paused_by: str | None = None
    is_paused: bool = False
    last_slot: datetime | None = None
    life: int = 0  # a schedule made again is another one


class ScheduleMachine(RuleBasedStateMachine):
    """One example: a fresh store, and rows beside it."""

    def __init__(self, open_store: Callable[[], Store], tables: Tables) -> None:
        super().__init__()
        self.store = open_store()
        self.tables = tables
        self.rows: dict[tuple[str, str], Row] = {}
        self.sights: list[tuple[ScheduleInfo, int]] = []
        self.jobs: set[tuple[str, str, int, datetime]] = set()
        self.runs_by_hand = 0
        self.lives = 0

    def teardown(self) -> None:
        with contextlib.closing(self.store):
            assert len(self.tables.rows("job")) == len(self.jobs) + self.runs_by_hand

    # -- what somebody sees ----------------------------------------------------------------------
    @rule(name=names, tenant=tenants)
    def look(self, name: str, tenant: str) -> None:
        seen = self.store.schedule(name, tenant=tenant)
        row = self.rows.get((tenant, name))
        assert (seen is None) == (row is None)
        if seen is not None and row is not None:
            self.sights = [*self.sights[1 - MOST_SIGHTS :], (seen, row.life)]

    def row_if_as_seen(self, seen: ScheduleInfo, life: int) -> Row | None:
        row = self.rows.get((seen.tenant, seen.name))
        if row is None or row.life != life:
            return None
        return row if (row.version, row.next_at) == (seen.version, seen.next_at) else None

    def is_confusable(self, seen: ScheduleInfo, life: int) -> bool:
        """A schedule that was made again may look as the one before: nobody does that in a race."""
        row = self.rows.get((seen.tenant, seen.name))
        return row is not None and row.life != life

    # -- the rules -------------------------------------------------------------------------------
    @rule(name=names, tenant=tenants, by=people)
    def make(self, name: str, tenant: str, by: str | None) -> None:
        wanted = schedule(name, tenant, 0)
        is_new = (tenant, name) not in self.rows
        assert self.store.put_schedule(wanted, next_at=START, by=by, seen=None) == is_new
        if is_new:
            self.lives += 1
            self.rows[tenant, name] = Row(next_at=START, by=by, life=self.lives)

    @precondition(lambda self: self.sights)
    @rule(pick=picks, by=people, number=st.integers(1, 3), moves=st.booleans())
    def change(self, *, pick: int, by: str | None, number: int, moves: bool) -> None:
        seen, life = self.sights[pick % len(self.sights)]
        if self.is_confusable(seen, life) or seen.next_at is None:
            return
        row = self.row_if_as_seen(seen, life)
        next_at = seen.next_at + HOUR if moves else seen.next_at
        wanted = schedule(seen.name, seen.tenant, number)
        changed = self.store.put_schedule(wanted, next_at=next_at, by=by, seen=seen)
        assert changed == (row is not None)
        if row is not None:
            row.next_at, row.by, row.number = next_at, by, number
            row.version += 1

    @precondition(lambda self: self.sights)
    @rule(pick=picks, slots=st.integers(0, 3))
    def fire(self, pick: int, slots: int) -> None:
        seen, life = self.sights[pick % len(self.sights)]
        if self.is_confusable(seen, life) or seen.next_at is None:
            return
        row = self.row_if_as_seen(seen, life)
        due = [seen.next_at + number * HOUR for number in range(slots)]
        given = Firing(
            name=seen.name,
            tenant=seen.tenant,
            version=seen.version,
            next_at=seen.next_at,
            following=seen.next_at + max(1, slots) * HOUR,
            slot=due[-1] if due else None,
            jobs=[make_job(seen, slot) for slot in due],
        )
        may_fire = row is not None and not row.is_paused
        assert self.store.fire(given) == may_fire
        if row is not None and may_fire:
            row.next_at = given.following or START
            row.last_slot = given.slot or row.last_slot
            new = {(seen.tenant, seen.name, life, slot) for slot in due}
            assert not new & self.jobs, "a slot is fired once"
            self.jobs |= new

    @precondition(lambda self: self.sights)
    @rule(pick=picks)
    def run_by_hand(self, pick: int) -> None:
        seen, life = self.sights[pick % len(self.sights)]
        row = self.row_if_as_seen(seen, life)
        if self.is_confusable(seen, life):
            return
        job = new_job(args=raw({"by": "hand"}))
        given = Firing(
            name=seen.name,
            tenant=seen.tenant,
            version=seen.version,
            next_at=seen.next_at,
            following=seen.next_at,
            jobs=[job],
            is_by_hand=True,
        )
        assert self.store.fire(given) == (row is not None)
        self.runs_by_hand += row is not None

    @rule(name=names, tenant=tenants, by=people)
    def pause(self, name: str, tenant: str, by: str | None) -> None:
        row = self.rows.get((tenant, name))
        may_pause = row is not None and not row.is_paused
        assert self.store.pause_schedule(name, tenant=tenant, by=by) == may_pause
        if row is not None and may_pause:
            row.is_paused, row.paused_by = True, by

    @precondition(lambda self: self.sights)
    @rule(pick=picks)
    def resume(self, pick: int) -> None:
        seen, life = self.sights[pick % len(self.sights)]
        if self.is_confusable(seen, life) or seen.next_at is None:
            return
        row = self.row_if_as_seen(seen, life)
        may_resume = row is not None and row.is_paused
        assert self.store.resume_schedule(seen, next_at=seen.next_at + HOUR) == may_resume
        if row is not None and may_resume:
            row.is_paused, row.paused_by, row.next_at = False, None, seen.next_at + HOUR

    @rule(name=names, tenant=tenants)
    def delete(self, name: str, tenant: str) -> None:
        is_there = self.rows.pop((tenant, name), None) is not None
        assert self.store.delete_schedule(name, tenant=tenant) == is_there

    # -- what holds after each of them -------------------------------------------------------------
    @invariant()
    def the_store_has_what_the_model_has(self) -> None:
        found = {(each.tenant, each.name): each for each in self.store.schedules()}
        assert found.keys() == self.rows.keys()
        for known, row in self.rows.items():
            each = found[known]
            assert (each.next_at, each.version) == (row.next_at, row.version)
            assert (each.set_by, each.paused_by) == (row.by, row.paused_by)
            assert (each.paused_at is not None) == row.is_paused
            assert (each.last_slot, each.job["args"]["number"]) == (row.last_slot, row.number)

    @invariant()
    def what_is_due_is_what_is_not_paused(self) -> None:
        due = [(each.tenant, each.name) for each in self.store.due_schedules(limit=10).schedules]
        now = self.store.now()
        wanted = {
            known for known, row in self.rows.items() if not row.is_paused and row.next_at <= now
        }
        assert set(due) == wanted


def schedule(name: str, tenant: str, number: int) -> NewSchedule:
    job = new_job(id=NO_ID, tenant=tenant, args=raw({"number": number}))
    return read_schedule(name, "@hourly", job)
