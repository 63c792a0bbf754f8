"""Rules that name moments: cron in a time zone, and intervals.

cronsim reads the fields and walks the wall clock. What becomes of the times that a clock's change
skips or repeats is decided here, since it must be the same whatever library is below:

- "once": what a change skips is run once, right after it; what comes twice is run the first time.
- "skip": what a change skips is not run; what comes twice is run the first time.
- "through": each moment whose wall clock fits, no more and no less: in real time it goes on evenly.
- "auto": "once" for rules that name their hours, "through" for those with `*` or a step there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import TypeAlias

from cronsim import CronSim, CronSimError

from leasehold.errors import BadOption
from leasehold.model.durations import seconds
from leasehold.model.zones import Change, first_change, fold_around, offset_at, read_zone

EVERY = "every "
SHORTEST_SECONDS = 1.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ANY_DAY = datetime(2000, 1, 1)  # noqa: DTZ001 - a wall clock's
_SECOND = timedelta(seconds=1)
_MICROSECOND = timedelta(microseconds=1)
_HOUR_FROM_END = -4  # with or without a field for seconds
_UNITS = (("w", 604_800), ("d", 86_400), ("h", 3_600), ("m", 60))
_NICKNAMES = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}

# Gives all moments behind one, in order.
SlotsAfter: TypeAlias = Callable[[datetime], Iterator[datetime]]


class Dst(StrEnum):
    """What a rule does where the clock changes; see above."""

    AUTO = "auto"
    ONCE = "once"
    SKIP = "skip"
    THROUGH = "through"


@dataclass(frozen=True, slots=True)
class Cron:
    """A cron expression; five fields, or six with seconds first."""

    fields: str

    @property
    def has_fixed_hours(self) -> bool:
        return not set("*/") & set(self.fields.split()[_HOUR_FROM_END])

    def walls(self, after: datetime) -> Iterator[datetime]:
        """Walk a wall clock that never changes: the times behind `after` that fit."""
        return iter(CronSim(self.fields, after))


def read_rule(given: str | timedelta | float) -> str:
    """Check a rule and write it the one way that is stored; a duration is an interval."""
    if not isinstance(given, str):
        return EVERY + _span_text(_interval_seconds(given))
    text = " ".join(given.split())
    if text.lower().startswith(EVERY):
        _interval_seconds(text[len(EVERY) :])
        return text.lower()
    _read_cron(text)
    return text


@lru_cache(maxsize=1024)
def compile_rule(rule: str, zone: str, dst: str) -> SlotsAfter:
    """Make of a rule what gives its moments."""
    if rule.startswith(EVERY):
        step = timedelta(seconds=_interval_seconds(rule[len(EVERY) :]))
        return lambda after: _walk_interval(step, after)
    cron, found, mode = _read_cron(rule), read_zone(zone), Dst(dst)
    if mode is Dst.AUTO:
        mode = Dst.ONCE if cron.has_fixed_hours else Dst.THROUGH
    return lambda after: walk_cron(cron, found, mode, after)


def walk_cron(cron: Cron, zone: tzinfo, dst: Dst, after: datetime) -> Iterator[datetime]:
    """Give the rule's moments behind `after`, as long as there are any.

    Between two changes wall clock and UTC differ by one offset. So the wall clock is walked up to
    the next change, and begun anew behind it.
    """
    moment = after.astimezone(UTC).replace(tzinfo=None)
    offset = offset_at(zone, moment)
    fold = None if dst is Dst.THROUGH else fold_around(zone, moment)
    walls = cron.walls(moment + offset if fold is None else _first_new_wall(fold, dst) - _SECOND)
    while (wall := next(walls, None)) is not None:
        change = first_change(zone, moment, wall - offset)
        if change is None:
            moment = wall - offset
            yield moment.replace(tzinfo=UTC)
            continue
        moment, offset = change.at, change.after
        start = _first_new_wall(change, dst)
        is_made_up = dst is Dst.ONCE and wall < start  # it would have come amid the change
        if is_made_up:
            yield moment.replace(tzinfo=UTC)
        walls = cron.walls(start if is_made_up else start - _SECOND)


def _first_new_wall(change: Change, dst: Dst) -> datetime:
    """Return the wall clock time from which on times count behind a change."""
    is_repeating = dst is Dst.THROUGH
    return change.at + (change.after if is_repeating else max(change.before, change.after))


def _walk_interval(step: timedelta, after: datetime) -> Iterator[datetime]:
    """Count from 1970 in UTC, so that everybody counts alike, whenever they began."""
    number = (after - _EPOCH) // step + 1
    while True:
        yield _EPOCH + number * step
        number += 1


def _read_cron(text: str) -> Cron:
    fields = _NICKNAMES.get(text.lower(), text)
    try:
        CronSim(fields, _ANY_DAY)
        is_any = next(Cron(fields).walls(_ANY_DAY), None) is not None
    except (CronSimError, AssertionError, ValueError) as error:
        raise BadOption(
            f"rule: can't read {text!r} ({error}); write cron like '0 3 * * MON-FRI' (minute, "
            "hour, day, month, weekday; of six, seconds first), '@daily', or 'every 90s'"
        ) from None
    if not is_any:
        raise BadOption(f"rule: {text!r} names no time at all")
    return Cron(fields)


def _interval_seconds(given: str | timedelta | float) -> float:
    amount = seconds(given, name="rule")
    is_exact = timedelta(seconds=amount) / _MICROSECOND % 1_000 == 0
    if amount < SHORTEST_SECONDS or not is_exact:
        raise BadOption(f"rule: {given!r} must be 1 s or longer, in whole milliseconds")
    return amount


def _span_text(amount: float) -> str:
    for unit, size in _UNITS:
        if amount % size == 0:
            return f"{amount / size:.0f}{unit}"
    return f"{amount:g}s" if amount % 1 == 0 else f"{amount * 1_000:.0f}ms"
