"""Writes moments and durations: relative, with the exact time beside, and kept up by the script."""

from __future__ import annotations

from datetime import UTC, datetime

from markupsafe import Markup

from leasehold.model.wording import since, span

NOTHING = Markup('<span class="nothing" aria-label="none">–</span>')  # noqa: RUF001 - a dash
_TIME = Markup('<time datetime="{}" title="{}" data-as="{}">{}</time>')


def ago(moment: datetime | None, now: datetime) -> Markup:
    """`12 s ago`, or `in 3 m`."""
    if moment is None:
        return NOTHING
    is_now = abs((now - moment).total_seconds()) < 1  # clocks differ by as much
    return _time(moment, "ago", "just now" if is_now else since(moment, now))


def elapsed(moment: datetime | None, now: datetime) -> Markup:
    """`12 s`: how long it has been since."""
    if moment is None:
        return NOTHING
    return _time(moment, "elapsed", span(max(0.0, (now - moment).total_seconds())))


def exact(moment: datetime) -> str:
    """The same moment for everybody, to the millisecond."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:-3] + " UTC"


def between(start: datetime | None, end: datetime | None) -> str:
    """How long it took."""
    if start is None or end is None:
        return ""
    return span(max(0.0, (end - start).total_seconds()))


def _time(moment: datetime, manner: str, words: str) -> Markup:
    return _TIME.format(moment.astimezone(UTC).isoformat(), exact(moment), manner, words)
