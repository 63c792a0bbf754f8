"""Instants: integer microseconds since the epoch in the tables, aware UTC datetimes outside."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
FOREVER = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND


class Clock:
    """The machine's clock, moved by a skew in tests."""

    def __init__(self) -> None:
        self.skew_seconds = 0.0

    def now(self) -> int:
        return time.time_ns() // 1000 + int(self.skew_seconds * SECOND)


def from_datetime(moment: datetime) -> int:
    return (moment - _EPOCH) // _MICROSECOND


def to_datetime(microseconds: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds)


def to_datetime_or_none(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else to_datetime(microseconds)


def later(now: int, delay_seconds: float | None, run_at: datetime | None) -> int:
    """When something comes back: at `run_at`, or after the delay, or at once."""
    if run_at is not None:
        return from_datetime(run_at)
    return now + int((delay_seconds or 0.0) * SECOND)
