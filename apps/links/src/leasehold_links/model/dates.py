"""Dates of bookmark files: seconds, milliseconds, microseconds, or Chrome's count from 1601."""

from __future__ import annotations

import math
from datetime import UTC, datetime

_FROM_1601_TO_1970_SECONDS = 11_644_473_600
# What a number may be is told by its size: each range is the years 1980 to 2200 in one unit.
_EARLIEST_SECONDS = 315_532_800
_LATEST_SECONDS = 7_258_118_400


def read_date(text: str | None) -> datetime | None:
    """Read a date in whichever unit it makes sense; None when it does in none."""
    number = _number(text)
    if number is None:
        return None
    for seconds in (
        number,
        number / 1e3,
        number / 1e6,
        number / 1e6 - _FROM_1601_TO_1970_SECONDS,
        number / 1e9,
    ):
        if _EARLIEST_SECONDS <= seconds < _LATEST_SECONDS:
            return datetime.fromtimestamp(round(seconds), UTC)
    return None


def _number(text: str | None) -> float | None:
    try:
        number = float((text or "").strip())
    except ValueError:
        return None
    return number if math.isfinite(number) else None
