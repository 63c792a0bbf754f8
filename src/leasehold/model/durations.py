"""Durations as people write them: `"90s"`, `"1h30m"`, `"250ms"`, seconds, or a timedelta."""

from __future__ import annotations

import math
import re
from datetime import timedelta
from typing import TypeAlias

from leasehold.errors import BadOption

Duration: TypeAlias = timedelta | float | int | str

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d|w)")
_LONGEST_SECONDS = 100 * 365 * 86400.0


def seconds(value: Duration, *, name: str = "duration") -> float:
    """Turn a duration into seconds. Negative, endless or unreadable ones are `BadOption`."""
    amount = _parse(value, name) if isinstance(value, str) else _number(value, name)
    if not math.isfinite(amount) or not 0 <= amount <= _LONGEST_SECONDS:
        msg = f"{name}: {value!r} is not between 0 and 100 years"
        raise BadOption(msg)
    return amount


def _number(value: timedelta | float, name: str) -> float:
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    msg = f"{name}: {value!r} is not a duration; write seconds, a timedelta, or text like '1h30m'"
    raise BadOption(msg)


def _parse(text: str, name: str) -> float:
    compact = text.replace(" ", "").lower()
    parts = _PART.findall(compact)
    if not parts or "".join(number + unit for number, unit in parts) != compact:
        msg = f"{name}: can't read {text!r}; write it like '250ms', '90s', '1h30m' or '2d'"
        raise BadOption(msg)
    return sum(float(number) * _UNITS[unit] for number, unit in parts)
