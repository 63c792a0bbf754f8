"""Keys: at most one job of a key at a time, and what a second one means.

Who holds a key is decided when the next one asks for it, by looking whether the holder's job is
alive: nothing that ends a job has to give its key back, so nothing can forget to. What is decided
rests on the words of the one who asks; a key's row only has facts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias

import msgspec

from leasehold.model.ids import JobId
from leasehold.model.states import State

KEY_LIMIT = 200
FOR_EVER_SECONDS = 1e99
RUNNING = "lease"  # the table a running job stands in


class Mode(StrEnum):
    """What a job does that meets another one of its key."""

    SKIP = "skip"  # it is not made
    REPLACE = "replace"  # it takes the other's place, or waits until that has ended running
    DEBOUNCE = "debounce"  # it is not made, and puts the other off
    LATEST = "latest"  # as replace, and a running one is told to stop


class Verdict(StrEnum):
    """What became of a job that was not simply written."""

    SAME = "same"  # its id stood there already
    LIVE = "live"  # not made, as are the next four: another one of its key is alive
    EVER = "ever"
    PERIOD = "period"
    COOLDOWN = "cooldown"
    PUSHED = "pushed"  # … and was put off
    REPLACED = "replaced"  # made, in the place of another
    BEHIND = "behind"  # made, waits for the one that runs


MADE = frozenset({Verdict.REPLACED, Verdict.BEHIND})


class Unique(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A job's key, and what others of that key mean for it: the SQL API's field `unique`.

    `ever` and `period_seconds` count from the last job that was accepted, `cooldown_seconds` from
    the last success. `max_wait_seconds` bounds how long jobs put off, or replace, each other.
    """

    key: str
    is_of_arguments: bool = False  # its text shows them
    mode: str = Mode.SKIP.value
    ever: bool = False
    period_seconds: float | None = None
    cooldown_seconds: float | None = None
    max_wait_seconds: float | None = None

    @property
    def memory_seconds(self) -> float:
        """How long the key must be remembered, counted from its holder's acceptance or success."""
        if self.ever:
            return FOR_EVER_SECONDS
        return max(self.period_seconds or 0.0, self.cooldown_seconds or 0.0)


class Standing(msgspec.Struct, frozen=True):
    """The answer for a job that was not simply written: which job stands, and why.

    `other` is the one that was replaced, or runs before it; `until` is how long the key is held, or
    what time the other one was put off to.
    """

    id: JobId
    verdict: Verdict
    other: JobId | None = None
    until: datetime | None = None

    @property
    def is_made(self) -> bool:
        """Whether the job was made all the same."""
        return self.verdict in MADE


class KeyInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A key as people see it. `next` waits behind the holder; a holder without a state is gone."""

    key: str
    tenant: str
    holder: JobId
    holder_state: State | None
    next: JobId | None
    taken_at: datetime
    succeeded_at: datetime | None

    @property
    def is_live(self) -> bool:
        """Whether a live job has it; else it is only remembered."""
        is_alive = self.holder_state is not None and not self.holder_state.is_final
        return is_alive or self.next is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """What a key's row and its jobs say."""

    holder: JobId
    place: str | None  # the table it stands in; None: it ended, or is gone
    successor: JobId | None  # waits behind the holder, and is alive
    taken_at: datetime  # when the holder was accepted
    series_at: datetime  # when the first of those was that put off or replaced each other
    run_at: datetime | None = None  # of a holder that waits for its time and was never tried
    succeeded_at: datetime | None = None  # the holder's own success, else a former one's
    memory_seconds: float = 0.0  # the longest that anybody wanted it remembered
    is_urgent: bool = False  # the running holder is to stop for its successor


@dataclass(frozen=True, slots=True)
class Refuse:
    """The job is not made: `standing` stands."""

    verdict: Verdict
    standing: JobId
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Push:
    """The job is not made: this one is put off."""

    job_id: JobId


@dataclass(frozen=True, slots=True)
class Take:
    """The job has the key; those that waited for it end."""

    ended: tuple[JobId, ...] = ()


@dataclass(frozen=True, slots=True)
class StandBehind:
    """The job waits until this one has ended running; who waited for that before ends."""

    runs: JobId
    ended: tuple[JobId, ...] = ()


Decision: TypeAlias = Refuse | Push | Take | StandBehind


def decide(asked: Unique, held: Holding, now: datetime) -> Decision:
    """Say what a job does that asks for a key which another one has, or had."""
    if held.place is None and held.successor is None:
        return remember(asked, held, now) or Take()
    if asked.mode == Mode.SKIP or (asked.mode == Mode.DEBOUNCE and held.successor is not None):
        return Refuse(Verdict.LIVE, held.successor or held.holder)
    if asked.mode == Mode.DEBOUNCE and held.place not in {None, RUNNING}:
        # What is due, or was tried before, runs anyway, and later than this call.
        return Refuse(Verdict.LIVE, held.holder) if held.run_at is None else Push(held.holder)
    waiting = () if held.successor is None else (held.successor,)
    if held.place == RUNNING:
        return StandBehind(held.holder, waiting)
    return Take(waiting if held.place is None else (*waiting, held.holder))


def remember(asked: Unique, held: Holding, now: datetime) -> Refuse | None:
    """Say why a key without a live job is held all the same, and until when."""
    if asked.ever:
        return Refuse(Verdict.EVER, held.holder)
    ends: list[tuple[datetime, Verdict]] = []
    if asked.period_seconds is not None:
        ends.append((_after(held.taken_at, asked.period_seconds), Verdict.PERIOD))
    if asked.cooldown_seconds is not None and held.succeeded_at is not None:
        ends.append((_after(held.succeeded_at, asked.cooldown_seconds), Verdict.COOLDOWN))
    until, verdict = max(ends, key=lambda end: end[0], default=(now, Verdict.LIVE))
    return Refuse(verdict, held.holder, until) if until > now else None


def put_off(asked: Unique, held: Holding, until: datetime) -> datetime:
    """Return the time of a job that is put off: never earlier, never beyond the longest wait."""
    wanted = at_the_latest(asked, held.series_at, until)
    return wanted if held.run_at is None else max(held.run_at, wanted)


def at_the_latest(asked: Unique, series_at: datetime, wanted: datetime) -> datetime:
    """Return the time that a job of a series wants, or the end of the longest wait."""
    if asked.max_wait_seconds is None:
        return wanted
    return min(wanted, _after(series_at, asked.max_wait_seconds))


def after_accepting(
    decision: Take | StandBehind, asked: Unique, held: Holding, job_id: JobId, now: datetime
) -> Holding:
    """Return what is written down of a key that a job takes or waits for.

    Its series began with those whose place it has, else now.
    """
    held = replace(
        held,
        series_at=held.series_at if decision.ended else now,
        memory_seconds=max(held.memory_seconds, asked.memory_seconds),
    )
    if isinstance(decision, StandBehind):
        is_urgent = asked.mode == Mode.LATEST or (held.is_urgent and held.successor is not None)
        return replace(held, successor=job_id, is_urgent=is_urgent)
    return replace(held, holder=job_id, successor=None, taken_at=now, is_urgent=False)


def key_of(kind: str, values: bytes) -> str:
    """Name the key of a job by its arguments, which are a JSON array: its kind's own.

    JSON, because joined text would make one of `a:b`, `c` and `a`, `b:c`.
    """
    text = kind + values.decode()
    if len(text) <= KEY_LIMIT:
        return text
    from hashlib import sha256

    return f"{kind}#{sha256(values).hexdigest()}"


def _after(moment: datetime, seconds: float) -> datetime:
    return moment + timedelta(seconds=seconds)
