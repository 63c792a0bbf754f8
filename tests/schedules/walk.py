"""The slots of a rule, computed without the code under test: by walking all minutes of a time.

Each minute of UTC is looked up on the zone's wall clock, and the declared rule applied. Nothing is
taken from cronsim or from `leasehold.model`.
"""

from __future__ import annotations

import calendar
from array import array
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from itertools import compress
from operator import and_
from typing import NamedTuple
from zoneinfo import ZoneInfo

from tests.schedules.expressions import NICKNAMES

MINUTE = 60
DAY = 1440
_MARGIN = timedelta(days=3)
_MONTHS = tuple(calendar.month_abbr[n].upper() for n in range(1, 13))
_DAYS = tuple(calendar.day_abbr[n].upper() for n in (6, 0, 1, 2, 3, 4, 5))
_EPOCH = date(1970, 1, 1)


class Gap(NamedTuple):
    """Minutes of the wall clock that never were, and the minute of UTC that came instead."""

    at: int
    first: int
    end: int


class Walk:
    """All minutes of a zone from one moment to another: what its wall clock showed at each."""

    def __init__(self, zone: str, start: datetime, end: datetime) -> None:
        self.start, self.end = _minute(start), _minute(end)
        self._begin = _minute(start - _MARGIN)
        self._base = self._begin - 2 * DAY  # no zone is that far from UTC
        self._minutes = range(self._begin, self.end + 1)
        found = ZoneInfo(zone)
        # Minutes of the wall clock, counted from the base.
        self._walls = array("q", (_wall(found, each) - self._base for each in self._minutes))
        self._is_first = bytearray(len(self._walls))
        self._gaps: list[Gap] = []
        newest = self._walls[0] - 1
        for number, wall in enumerate(self._walls):
            if wall > newest + 1:
                self._gaps.append(Gap(self._begin + number, newest + 1, wall))
            self._is_first[number] = wall > newest
            newest = max(newest, wall)

    def slots(self, rule: str, dst: str) -> list[int]:
        """Return the seconds since 1970 of the rule's slots, behind the start and to the end."""
        seconds, *fields = _fields(rule)
        way = _way(fields[1]) if dst == "auto" else dst
        fits = _fitting(tuple(fields), self._base, self.end + 2 * DAY)
        chosen: Iterator[int] = map(fits.__getitem__, self._walls)
        if way != "through":
            chosen = map(and_, chosen, self._is_first)
        minutes = list(compress(self._minutes, chosen))
        wanted = _numbers(seconds, 0, 59)
        slots = {minute * MINUTE + second for minute in minutes for second in wanted}
        if way == "once":
            slots |= {gap.at * MINUTE for gap in self._gaps if any(fits[gap.first : gap.end])}
        return sorted(each for each in slots if self.start * MINUTE < each <= self.end * MINUTE)


def signature(zone: str, start: datetime, end: datetime) -> tuple[tuple[int, int], ...]:
    """Say when the zone's offset was what, to the minute; alike, so are the zones."""
    found = ZoneInfo(zone)
    begin = _minute(start - _MARGIN)
    parts = [(begin, _wall(found, begin) - begin)]
    for hour in range(begin + 60, _minute(end) + 60, 60):
        if _wall(found, hour) - hour != parts[-1][1]:
            same = parts[-1][1]
            first = next(m for m in range(hour - 59, hour + 1) if _wall(found, m) - m != same)
            parts.append((first, _wall(found, first) - first))
    return tuple(parts)


def _wall(zone: ZoneInfo, minute: int) -> int:
    offset = datetime.fromtimestamp(minute * MINUTE, zone).utcoffset()
    assert offset is not None
    assert offset % timedelta(minutes=1) == timedelta(), "a walk by minutes would not do"
    return minute + offset // timedelta(minutes=1)


def _minute(moment: datetime) -> int:
    return int(moment.astimezone(UTC).timestamp()) // MINUTE


def _fields(rule: str) -> list[str]:
    fields = NICKNAMES.get(rule, rule).split()
    return fields if len(fields) == 6 else ["0", *fields]


def _way(hours: str) -> str:
    return "through" if "*" in hours or "/" in hours else "once"


@lru_cache(maxsize=128)
def _fitting(fields: tuple[str, ...], start: int, end: int) -> bytes:
    """Say of each minute of a wall clock whether it fits."""
    minutes, hours, days, months, weekdays = fields
    of_day = bytearray(DAY)
    for hour in _numbers(hours, 0, 23):
        for minute in _numbers(minutes, 0, 59):
            of_day[hour * 60 + minute] = 1
    first, last = start // DAY, end // DAY
    whole = b"".join(
        bytes(of_day)
        if _fits_day(_EPOCH + timedelta(days=day), days, months, weekdays)
        else _NO_DAY
        for day in range(first, last + 1)
    )
    return whole[start - first * DAY :]


_NO_DAY = bytes(DAY)


def _fits_day(day: date, days: str, months: str, weekdays: str) -> bool:
    if day.month not in _numbers(months, 1, 12, _MONTHS, 1):
        return False
    by_date = any(_fits_date(day, part) for part in days.split(","))
    by_weekday = any(_fits_weekday(day, part) for part in weekdays.split(","))
    # As cron has it: either will do, unless one of the fields begins with a star.
    if days[0] == "*" or weekdays[0] == "*":
        return by_date and by_weekday
    return by_date or by_weekday


def _fits_date(day: date, part: str) -> bool:
    last = calendar.monthrange(day.year, day.month)[1]
    if part == "L":
        return day.day == last
    if part == "LW":
        weekdays = [n for n in range(1, last + 1) if day.replace(day=n).isoweekday() < 6]
        return day.day == weekdays[-1]
    return day.day in _numbers(part, 1, 31)


def _fits_weekday(day: date, part: str) -> bool:
    weekday = day.isoweekday() % 7
    if "#" in part:
        name, number = part.split("#")
        is_same = weekday in {each % 7 for each in _numbers(name, 0, 7, _DAYS)}
        return is_same and (day.day - 1) // 7 + 1 == int(number)
    if part.endswith("L"):
        last = calendar.monthrange(day.year, day.month)[1]
        return weekday == int(part[:-1]) % 7 and day.day > last - 7
    return weekday in {each % 7 for each in _numbers(part, 0, 7, _DAYS)}


@lru_cache(maxsize=4096)
def _numbers(
    field: str, low: int, high: int, names: tuple[str, ...] = (), base: int = 0
) -> frozenset[int]:
    """Read numbers, ranges, steps and lists of them."""

    def number(text: str) -> int:
        return names.index(text) + base if text in names else int(text)

    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        if span == "*":
            first, last = low, high
        elif "-" in span:
            first, last = map(number, span.split("-"))
        else:
            first = number(span)
            last = high if step else first
        found |= set(range(first, last + 1, int(step or 1)))
    return frozenset(found)
