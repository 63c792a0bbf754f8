"""How long a pause lasts and how many may run, as forms say it."""

from __future__ import annotations

from leasehold.errors import BadOption
from leasehold.model.durations import seconds


def read_until(text: str) -> str | None:
    """Read a duration as `15m`; nothing is until somebody resumes it."""
    if not text:
        return None
    seconds(text, name="until")  # `BadOption` unless it is one
    return text


def read_whole(name: str, text: str) -> int:
    """Read a whole number that somebody typed."""
    try:
        return int(text.strip())
    except ValueError:
        raise BadOption(f"{name}: {text!r} is not a whole number") from None
