"""Schedules: whoever moves one on makes the slot's jobs in the same statement."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.schedules import DueSchedules, Firing, NewSchedule, ScheduleInfo
from leasehold.store.base import arrivals_of
from leasehold.store.sealing import Sealing, seal_schedule
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = "leasehold.store.postgres"
_encode = msgspec.json.Encoder().encode


class Schedules(Sealing):
    """The part of the store that concerns schedules."""

    skew_seconds: float

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def notify(self, arrivals: Mapping[str, int]) -> None:
        raise NotImplementedError

    def now(self) -> datetime:
        return self._times()[0]

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
            "job": _encode(schedule.job).decode(),
            "next_at": next_at,
            "set_by": by,
        }
        if seen is None:
            return self._change("make_schedule", **fields, skew=self._skew)
        return self._change("change_schedule", **fields, **_as_seen(seen), skew=self._skew)

    def pause_schedule(self, name: str, *, tenant: str, by: str | None) -> bool:
        return self._change("pause_schedule", name=name, tenant=tenant, by=by, skew=self._skew)

    def resume_schedule(self, seen: ScheduleInfo, *, next_at: datetime | None) -> bool:
        named = {"name": seen.name, "tenant": seen.tenant}
        return self._change("resume_schedule", next_at=next_at, **named, **_as_seen(seen))

    def delete_schedule(self, name: str, *, tenant: str) -> bool:
        return self._change("delete_schedule", name=name, tenant=tenant)

    def due_schedules(self, *, limit: int) -> DueSchedules:
        now, seconds = self._times()
        return DueSchedules(now, self._read("due_schedules", now=now, limit=limit), seconds)

    def fire(self, firing: Firing) -> bool:
        firing = self._sealed_firing(firing)
        given = {
            "name": firing.name,
            "tenant": firing.tenant,
            "version": firing.version,
            "next_at": firing.next_at,
            "following": firing.following,
            "slot": firing.slot,
            "jobs": _encode(firing.jobs).decode(),
            "last_job": firing.jobs[-1].id if firing.jobs else None,
            "is_by_hand": firing.is_by_hand,
            "skew_seconds": self.skew_seconds,
        }
        is_fired = self._change("fire", **given)
        if is_fired and firing.jobs:
            self.notify(arrivals_of(firing.jobs))
        return is_fired

    def _times(self) -> tuple[datetime, float | None]:
        ((moment, seconds),) = self._run(load(PACKAGE, "schedule_times"), skew=self._skew)
        return moment.replace(tzinfo=UTC), seconds

    def _read(self, operation: str, **given: Any) -> list[ScheduleInfo]:
        return [_schedule(row) for row in self._run(load(PACKAGE, operation), **given)]

    def _change(self, operation: str, **given: Any) -> bool:
        found = self._run(load(PACKAGE, operation), **given)
        return bool(found) and bool(found[0][0])


def _as_seen(seen: ScheduleInfo) -> dict[str, Any]:
    return {"version": seen.version, "seen_next_at": seen.next_at}


def _schedule(row: tuple[Any, ...]) -> ScheduleInfo:
    """Name a row's values: the statement lists them in the order of the fields, times in UTC."""
    named: dict[str, Any] = {
        name: value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
        for name, value in zip(ScheduleInfo.__struct_fields__, row, strict=True)
    }
    return ScheduleInfo(**named | {"job": msgspec.json.decode(named["job"])})
