"""How words on the command line become values."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime
from typing import Any, NamedTuple

import click

_SECONDS = re.compile(r"\d+(\.\d+)?")
OFF = "off"


def read_duration(text: str) -> float:
    """Read seconds, or text like 90s and 1h30m."""
    from leasehold.errors import BadOption
    from leasehold.model.durations import seconds

    try:
        return seconds(float(text) if _SECONDS.fullmatch(text) else text)
    except BadOption as error:
        raise click.BadParameter(str(error).removeprefix("duration: ")) from None


def read_moment(text: str) -> datetime:
    """Read an instant in ISO 8601; without a time zone it would be a guess."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a time; write 2030-01-31T08:00Z") from None
    if moment.tzinfo is None:
        raise click.BadParameter(f"{text!r} has no time zone; write {text}Z or {text}+01:00")
    return moment


def read_until(text: str) -> datetime | float:
    """Read a duration from now on, or an instant that is still to come."""
    try:
        return read_duration(text)
    except click.BadParameter:
        pass
    if not text[:4].isdigit():
        raise click.BadParameter(
            f"{text!r} is neither a duration like 10m nor a time like 2030-01-31T08:00Z"
        )
    moment = read_moment(text)
    if moment <= datetime.now(UTC):
        raise click.BadParameter(f"{text!r} is over already")
    return moment


def read_duration_or_off(text: str) -> float | None:
    """Read a duration; `off` is None."""
    return None if text == OFF else read_duration(text)


def read_count_or_off(text: str) -> int | str:
    """Read a whole number, or `off`; None is for an option that was left out."""
    if text == OFF:
        return text
    if not text.isdecimal():
        raise click.BadParameter(f"{text!r} is not a whole number from 0 on, nor {OFF}")
    return int(text)


class Rate(NamedTuple):
    """So much in a time; None does not limit."""

    amount: float | None
    seconds: float


def read_rate(text: str) -> Rate:
    """Read an amount and a time, as in 90000/1m; `off` takes the limit away."""
    if text == OFF:
        return Rate(None, 1.0)
    amount, separator, period = text.partition("/")
    if not separator or not _SECONDS.fullmatch(amount):
        raise click.BadParameter(f"{text!r} is not a rate; write 90000/1m, 5/1s or {OFF}")
    return Rate(float(amount), read_duration(period))


def read_pairs(words: tuple[str, ...]) -> dict[str, Any]:
    """Read `key=value` words; a value that is JSON is that, any other is text."""
    found: dict[str, Any] = {}
    for word in words:
        name, separator, text = word.partition("=")
        if not separator or not name:
            raise click.UsageError(f"{word!r} is not key=value")
        if name in found:
            raise click.UsageError(f"the argument {name!r} is given twice")
        found[name] = _read_value(text)
    return found


def read_object(text: str) -> dict[str, Any]:
    """Read a JSON object; `-` stands for what comes in on stdin."""
    import json

    try:
        found = json.loads(sys.stdin.read() if text == "-" else text)
    except ValueError as error:
        raise click.UsageError(f"--args is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise click.UsageError("--args must be a JSON object, the arguments by name")
    return found


def _read_value(text: str) -> Any:
    import json

    try:
        return json.loads(text)
    except ValueError:
        return text
