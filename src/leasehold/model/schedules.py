"""Schedules: what they are, and which of their slots are to be run when somebody looks.

A slot is a moment that the rule names. It is in time for a minute; later it has been missed, and
what becomes of it is the schedule's own choice.
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import takewhile
from typing import Any, NamedTuple

import msgspec

from leasehold.errors import BadOption
from leasehold.model.cron import Dst, SlotsAfter, compile_rule, read_rule
from leasehold.model.durations import Duration, seconds
from leasehold.model.ids import JobId, uuid7_at
from leasehold.model.values import NewJob
from leasehold.model.zones import read_zone

DEFAULT_ZONE = "UTC"
DEFAULT_CAP = 100
GREATEST_CAP = 1_000  # all of them are written in one transaction
LONGEST_JITTER_SECONDS = 86_400.0
IN_TIME = timedelta(seconds=60)
_FIRST_WINDOW = timedelta(seconds=64)
_WIDER = 8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_NOT_KEPT = ("id", "tenant", "run_at")


class Missed(StrEnum):
    """What becomes of slots that nobody fired in time."""

    NONE = "none"  # nothing
    LATEST = "latest"  # one run makes up for all of them
    ALL = "all"  # each is run, the newest up to a cap


class NewSchedule(msgspec.Struct, frozen=True, kw_only=True):
    """A schedule as somebody set or declared it. `job` is what to enqueue, as for enqueue_many."""

    name: str
    rule: str
    job: dict[str, Any]
    tenant: str = ""
    zone: str = DEFAULT_ZONE
    dst: str = Dst.AUTO.value
    missed: str = Missed.LATEST.value
    missed_cap: int = DEFAULT_CAP
    jitter_seconds: float = 0.0

    def definition(self) -> dict[str, Any]:
        """Name all that somebody said, and nothing of what has happened since."""
        return {name: getattr(self, name) for name in NewSchedule.__struct_fields__}

    @property
    def slots_after(self) -> SlotsAfter:
        """Give all slots behind a moment."""
        return compile_rule(self.rule, self.zone, self.dst)

    def next_after(self, moment: datetime) -> datetime | None:
        """Return the first slot behind a moment; None when there will never be one."""
        return next(self.slots_after(moment), None)


class ScheduleInfo(NewSchedule, frozen=True, kw_only=True):
    """A schedule as it stands in the store."""

    created_at: datetime
    updated_at: datetime
    next_at: datetime | None  # the slot to fire next; None: never again
    last_slot: datetime | None  # the last one that was fired …
    last_fired_at: datetime | None  # … when …
    last_job: JobId | None  # … and its job; with a key, the job that stood for it
    paused_at: datetime | None
    paused_by: str | None
    set_by: str | None  # None: as code declares it
    version: int

    @property
    def kind(self) -> str:
        """The task's name."""
        return str(self.job["kind"])

    def has_same_times(self, other: NewSchedule) -> bool:
        """Whether both name the same slots."""
        mine, theirs = ((each.rule, each.zone, each.dst) for each in (self, other))
        return mine == theirs

    def is_as(self, other: NewSchedule) -> bool:
        """Whether it is what somebody would make of it."""
        return self.definition() == other.definition()


class DueSchedules(msgspec.Struct, frozen=True):
    """The schedules whose slot has come, by the store's clock, and when the next one comes."""

    now: datetime
    schedules: list[ScheduleInfo]
    next_seconds: float | None


class Firing(msgspec.Struct, frozen=True, kw_only=True):
    """A step of one schedule: from the slot that somebody saw next to another, and the jobs.

    It counts only if the schedule is still as it was seen, so that of all who try one succeeds.
    By hand a paused one may be fired too, and its slot stays.
    """

    name: str
    tenant: str
    version: int
    next_at: datetime | None
    following: datetime | None
    slot: datetime | None = None  # the newest that is run
    jobs: list[NewJob] = []
    is_by_hand: bool = False


class Plan(NamedTuple):
    """The slots to run now, in order, and the next one to come."""

    slots: list[datetime]
    following: datetime | None


def read_schedule(
    name: str,
    rule: str | timedelta | float,
    job: NewJob,
    *,
    zone: str = DEFAULT_ZONE,
    dst: str = Dst.AUTO,
    missed: str = Missed.LATEST,
    missed_cap: int = DEFAULT_CAP,
    jitter: Duration = 0,
) -> NewSchedule:
    """Check what somebody said of a schedule."""
    read_zone(zone)
    return NewSchedule(
        name=name,
        tenant=job.tenant,
        rule=read_rule(rule),
        job=_template(job, name),
        zone=zone,
        dst=_choose("dst", dst, Dst),
        missed=_choose("missed", missed, Missed),
        missed_cap=_read_cap(missed_cap),
        jitter_seconds=_read_jitter(jitter),
    )


def change_schedule(
    schedule: NewSchedule,
    *,
    rule: str | timedelta | float | None = None,
    zone: str | None = None,
    dst: str | None = None,
    missed: str | None = None,
    missed_cap: int | None = None,
    jitter: Duration | None = None,
) -> NewSchedule:
    """Check what somebody changes of a schedule; what is None, and its job, stay."""
    changes: dict[str, Any] = {
        "rule": None if rule is None else read_rule(rule),
        "zone": None if zone is None else _checked_zone(zone),
        "dst": None if dst is None else _choose("dst", dst, Dst),
        "missed": None if missed is None else _choose("missed", missed, Missed),
        "missed_cap": None if missed_cap is None else _read_cap(missed_cap),
        "jitter_seconds": None if jitter is None else _read_jitter(jitter),
    }
    said = {name: value for name, value in changes.items() if value is not None}
    if not said:
        raise BadOption(f"schedule {schedule.name!r}: say what is to change")
    return NewSchedule(**(schedule.definition() | said))


def plan_firing(schedule: ScheduleInfo, next_at: datetime, now: datetime) -> Plan:
    """Say which slots from `next_at` on are to be run now.

    `next_at` is a slot, also if newer data of its time zone would have it elsewhere.
    """
    slots_after = schedule.slots_after
    fresh_from = max(next_at, now - IN_TIME)
    fresh = list(takewhile(lambda slot: slot <= now, slots_after(fresh_from - _MICROSECOND)))
    if fresh_from == next_at and next_at not in fresh:
        fresh.insert(0, next_at)
    missed = _missed(schedule, next_at, fresh_from, has_fresh=bool(fresh))
    return Plan([*missed, *fresh], schedule.next_after(max(next_at, now)))


def make_job(schedule: ScheduleInfo, slot: datetime) -> NewJob:
    """Build the job of a slot: the same one, with the same jitter, whoever builds it."""
    delay = schedule.job.get("delay_seconds", 0.0) + _jitter(schedule, slot)
    run_at = slot + timedelta(seconds=delay)
    template = read_job(schedule, slot_id(schedule, slot))
    return msgspec.structs.replace(template, run_at=run_at, delay_seconds=None)


def read_job(schedule: NewSchedule, job_id: JobId) -> NewJob:
    """Build the schedule's job under an id."""
    fields = {**schedule.job, "id": job_id, "tenant": schedule.tenant}
    on_end = fields.pop("on_end", None)  # msgspec can't read what may be raw or missing
    job = msgspec.json.decode(msgspec.json.encode(fields), type=NewJob)
    if on_end is None:
        return job
    return msgspec.structs.replace(job, on_end=msgspec.Raw(msgspec.json.encode(on_end)))


def slot_id(schedule: ScheduleInfo, slot: datetime) -> JobId:
    """Build the id of a slot's job: a UUIDv7 of the slot's time."""
    microseconds = (slot - _EPOCH) // _MICROSECOND
    return uuid7_at((microseconds << 12) // 1_000, _derive(schedule, slot, "id"))


def _jitter(schedule: ScheduleInfo, slot: datetime) -> float:
    return schedule.jitter_seconds * (_derive(schedule, slot, "jitter") / 2**64)


def _derive(schedule: ScheduleInfo, slot: datetime, purpose: str) -> int:
    """Draw 64 bits that are the same for everybody.

    A schedule that was deleted and made again is another one: its jobs may have other arguments.
    """
    parts = (schedule.tenant, schedule.name, schedule.created_at.isoformat(), slot.isoformat())
    text = "\x1f".join((*parts, purpose))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def _missed(
    schedule: ScheduleInfo, next_at: datetime, before: datetime, *, has_fresh: bool
) -> list[datetime]:
    """Choose among the slots from `next_at` to `before`, which nobody fired in time."""
    wanted = {
        Missed.NONE: 0,
        Missed.LATEST: 0 if has_fresh else 1,
        Missed.ALL: schedule.missed_cap,
    }
    most = wanted[Missed(schedule.missed)]
    if most == 0 or next_at >= before:
        return []
    newest = _newest(schedule.slots_after, next_at, before, most)
    return newest if len(newest) == most else [next_at, *newest]


def _newest(
    slots_after: SlotsAfter, since: datetime, before: datetime, most: int
) -> list[datetime]:
    """Find the newest slots behind `since`. Looks back further and further: it may be long ago."""
    window = _FIRST_WINDOW
    while True:
        start = max(since, before - window)
        found: Iterator[datetime] = takewhile(lambda slot: slot < before, slots_after(start))
        newest = list(deque(found, maxlen=most))
        if len(newest) == most or start == since:
            return newest
        window *= _WIDER


def _template(job: NewJob, name: str) -> dict[str, Any]:
    """Write down what to enqueue, and who did it unless somebody is named."""
    if job.run_at is not None:
        raise BadOption(f"schedule {name!r}: its rule says when, so run_at can't be given")
    named = msgspec.structs.replace(job, created_by=job.created_by or f"schedule {name}")
    fields: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(named))
    return {field: value for field, value in fields.items() if field not in _NOT_KEPT}


def _choose(name: str, value: str, words: type[StrEnum]) -> str:
    try:
        return words(value).value
    except ValueError:
        raise BadOption(f"{name}: {value!r} is not one of {', '.join(words)}") from None


def _checked_zone(name: str) -> str:
    read_zone(name)
    return name


def _read_cap(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= GREATEST_CAP:
        raise BadOption(f"missed_cap: {value!r} is not a whole number from 1 to {GREATEST_CAP:,}")
    return value


def _read_jitter(value: Duration) -> float:
    amount = seconds(value, name="jitter")
    if amount > LONGEST_JITTER_SECONDS:
        raise BadOption(f"jitter: {value!r} is longer than a day")
    return amount
