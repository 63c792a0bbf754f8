"""How long a pause lasts, as forms say it."""

from __future__ import annotations

from leasehold.model.durations import seconds


def read_until(text: str) -> str | None:
    """Read a duration as `15m`; nothing is until somebody resumes it."""
    if not text:
        return None
    seconds(text, name="until")  # `BadOption` unless it is one
    return text
