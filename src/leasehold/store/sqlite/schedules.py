"""Schedules: whoever moves one on makes the slot's jobs in the same transaction."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from leasehold.errors import QuotaExceeded
from leasehold.model.schedules import DueSchedules, Firing, NewSchedule, ScheduleInfo
from leasehold.model.values import NewJob
from leasehold.store.base import EnqueueScript, arrivals_of, made_of
from leasehold.store.sealing import Sealing, seal_schedule
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.enqueue import run_script
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import count, rows, text, value
from leasehold.store.sqlite.times import SECOND, Clock, from_datetime, to_datetime

_MOMENTS = ("created_at", "updated_at", "next_at", "last_slot", "last_fired_at", "paused_at")


class Schedules(Sealing):
    """The part of the store that concerns schedules."""

    _database: Database
    _clock: Clock

    def _script(self, jobs: Sequence[NewJob]) -> EnqueueScript:
        raise NotImplementedError

    def notify(self, arrivals: Mapping[str, int]) -> None:
        raise NotImplementedError

    def now(self) -> datetime:
        return to_datetime(self._clock.now())

    def schedules(self, *, tenant: str | None = None) -> list[ScheduleInfo]:
        return self._read("schedules", tenant=tenant)

    def schedule(self, name: str, *, tenant: str) -> ScheduleInfo | None:
        found = self._read("schedule", name=name, tenant=tenant)
        return found[0] if found else None

    def put_schedule(
        self,
        schedule: NewSchedule,
        *,
        next_at: datetime | None,
        by: str | None,
        seen: ScheduleInfo | None,
    ) -> bool:
        schedule = seal_schedule(schedule, self.keyring)
        fields = schedule.definition() | {
            "job": msgspec.json.encode(schedule.job).decode(),
            "next_at": _moment(next_at),
            "set_by": by,
        }
        if seen is None:
            return self._change("make_schedule", **fields)
        return self._change("change_schedule", **fields, **_as_seen(seen))

    def pause_schedule(self, name: str, *, tenant: str, by: str | None) -> bool:
        return self._change("pause_schedule", name=name, tenant=tenant, by=by)

    def resume_schedule(self, seen: ScheduleInfo, *, next_at: datetime | None) -> bool:
        named = {"name": seen.name, "tenant": seen.tenant}
        return self._change("resume_schedule", next_at=_moment(next_at), **named, **_as_seen(seen))

    def delete_schedule(self, name: str, *, tenant: str) -> bool:
        return self._change("delete_schedule", name=name, tenant=tenant)

    def due_schedules(self, *, limit: int) -> DueSchedules:
        now = self._clock.now()
        with self._database.read() as connection:
            due = rows(connection, "due_schedules", now=now, limit=limit)
            following = next_slot(connection, now)
        seconds = None if following is None else (following - now) / SECOND
        return DueSchedules(to_datetime(now), [_schedule(row) for row in due], seconds)

    def fire(self, firing: Firing) -> bool:
        firing = self._sealed_firing(firing)
        if not self._may_fire(firing):
            return False
        try:
            return self._fire(firing)
        except QuotaExceeded:
            if firing.is_by_hand:
                raise
        # What its tenant's quotas do not allow is left out: the next slot comes.
        return self._fire(msgspec.structs.replace(firing, jobs=()))

    def _fire(self, firing: Firing) -> bool:
        with self._database.write() as connection:
            if not _move_on(connection, firing, self._clock.now()):
                return False
            answers = run_script(connection, self._script(firing.jobs)) if firing.jobs else {}
            if firing.jobs:
                last = firing.jobs[-1].id
                stands = answers[last].id if last in answers else last
                named = {"tenant": firing.tenant, "name": firing.name, "last_job": str(stands)}
                connection.execute(text("note_firing"), named)
        if firing.jobs:
            self.notify(arrivals_of(made_of(firing.jobs, answers)))
        return True

    def _may_fire(self, firing: Firing) -> bool:
        """Look without the write lock: of a fleet that sees a slot come, all but one are late."""
        seen = self.schedule(firing.name, tenant=firing.tenant)
        return seen is not None and seen.next_at == firing.next_at

    def _read(self, operation: str, /, **given: Any) -> list[ScheduleInfo]:
        with self._database.read() as connection:
            return [_schedule(row) for row in rows(connection, operation, **given)]

    def _change(self, operation: str, /, **given: Any) -> bool:
        with self._database.write() as connection:
            return count(connection, operation, now=self._clock.now(), **given) > 0


def next_slot(connection: sqlite3.Connection, after: int) -> int | None:
    """Say when the next slot comes, in the store's own measure."""
    slot: int | None = value(connection, "schedule_next", after=after)
    return slot


def _move_on(connection: sqlite3.Connection, firing: Firing, now: int) -> bool:
    moved = count(
        connection,
        "fire",
        name=firing.name,
        tenant=firing.tenant,
        version=firing.version,
        next_at=_moment(firing.next_at),
        following=_moment(firing.following),
        slot=_moment(firing.slot),
        has_jobs=bool(firing.jobs),
        is_by_hand=firing.is_by_hand,
        now=now,
    )
    return moved > 0


def _as_seen(seen: ScheduleInfo) -> dict[str, Any]:
    return {"version": seen.version, "seen_next_at": _moment(seen.next_at)}


def _schedule(row: tuple[Any, ...]) -> ScheduleInfo:
    """Name a row's columns: the statement lists them in the order of the fields."""
    named = dict(zip(ScheduleInfo.__struct_fields__, row, strict=True))
    for name in _MOMENTS:
        named[name] = None if named[name] is None else to_datetime(named[name])
    named["job"] = msgspec.json.decode(named["job"])
    named["last_job"] = None if named["last_job"] is None else to_job_id(named["last_job"])
    return ScheduleInfo(**named)


def _moment(moment: datetime | None) -> int | None:
    return None if moment is None else from_datetime(moment)
