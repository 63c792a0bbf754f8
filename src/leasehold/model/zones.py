"""When a zone's clock changes: the moments, and what its offset was before and is after.

The standard library tells a zone's offset at a moment, not where it changes, so that is looked for.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from leasehold.errors import BadOption

_STEP = timedelta(hours=3)  # no zone changes its clock twice within that time
_SECOND = timedelta(seconds=1)
_DAY = timedelta(days=1)


class Change(NamedTuple):
    """A change of the clock. `at` is in UTC, without a zone: the rules reckon with such moments."""

    at: datetime
    before: timedelta
    after: timedelta


def read_zone(name: str) -> tzinfo:
    """Find a zone by its IANA name, as Europe/Berlin."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError):
        raise BadOption(
            f"zone: {name!r} is not known here; write an IANA name like 'Europe/Berlin', or 'UTC'"
        ) from None


def offset_at(zone: tzinfo, moment: datetime) -> timedelta:
    """Say how far the zone's clock is ahead of UTC at a moment (UTC, without a zone)."""
    offset = moment.replace(tzinfo=UTC).astimezone(zone).utcoffset()
    return offset if offset is not None else timedelta()


def first_change(zone: tzinfo, after: datetime, until: datetime) -> Change | None:
    """Find the first change behind `after`, not behind `until`."""
    for year in range(after.year, until.year + 1):
        for change in changes_in(zone, year):
            if after < change.at <= until:
                return change
    return None


def fold_around(zone: tzinfo, moment: datetime) -> Change | None:
    """Return the change that set the clock back, if its wall clock times just come again."""
    change = None
    since = moment - _DAY
    while (following := first_change(zone, change.at if change else since, moment)) is not None:
        change = following
    is_again = change is not None and moment + change.after < change.at + change.before
    return change if is_again else None


@lru_cache(maxsize=4096)
def changes_in(zone: tzinfo, year: int) -> tuple[Change, ...]:
    """List the changes of one year, in order."""
    found = []
    start, end = datetime(year, 1, 1), datetime(year + 1, 1, 1)  # noqa: DTZ001 - UTC, see Change
    before = offset_at(zone, start - _SECOND)
    moment = start - _SECOND
    while moment < end - _SECOND:
        following = min(moment + _STEP, end - _SECOND)
        after = offset_at(zone, following)
        if after != before:
            found.append(Change(_bisect(zone, moment, following), before, after))
        moment, before = following, after
    return tuple(found)


def _bisect(zone: tzinfo, early: datetime, late: datetime) -> datetime:
    """Find the first second with another offset than `early` has."""
    before = offset_at(zone, early)
    seconds = (late - early) // _SECOND
    low, high = 0, seconds
    while high - low > 1:
        middle = (low + high) // 2
        if offset_at(zone, early + middle * _SECOND) == before:
            low = middle
        else:
            high = middle
    return early + high * _SECOND
