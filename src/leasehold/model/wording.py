"""How amounts and times are put into words for people."""

from __future__ import annotations

from datetime import datetime

_MINUTE, _HOUR, _DAY = 60.0, 3_600.0, 86_400.0


def span(seconds: float) -> str:
    """Write a duration as people say it."""
    amount = abs(seconds)
    if amount < 1:
        return f"{amount * 1000:.0f} ms"
    if amount < _MINUTE:
        return f"{amount:.1f} s" if amount < 10 else f"{amount:.0f} s"  # noqa: PLR2004 - two digits
    for unit, size, least in (("d", _DAY, 2 * _DAY), ("h", _HOUR, 2 * _HOUR), ("m", _MINUTE, 0)):
        if amount >= least:
            return f"{amount / size:.0f} {unit}"
    return ""


def since(moment: datetime | None, now: datetime) -> str:
    """Say how long ago, or in how long."""
    if moment is None:
        return ""
    seconds = (now - moment).total_seconds()
    return f"{span(seconds)} ago" if seconds >= 0 else f"in {span(seconds)}"


def count(amount: int, one: str, many: str | None = None) -> str:
    """`1 job`, `2 jobs`."""
    return f"{amount:,} {one if amount == 1 else many or one + 's'}"
