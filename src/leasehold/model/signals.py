"""What a handler raises to say how its attempt ends, when returning is not enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.errors import BadOption
from leasehold.model.durations import Duration, seconds

if TYPE_CHECKING:
    from datetime import datetime


class Signal(Exception):
    """The root of the four signals."""


class Retry(Signal):
    """Fail this attempt and try again after `after`, whatever the task's retry policy says.

    It counts as a failure: with the last attempt spent, the job is dead.
    """

    def __init__(self, after: Duration, reason: str = "") -> None:
        super().__init__(reason or "the handler asked for a retry")
        self.after_seconds = seconds(after, name="Retry(after)")


class Snooze(Signal):
    """Not now: come back after `after`, or at `until`. It spends no attempt."""

    def __init__(
        self,
        after: Duration | None = None,
        *,
        until: datetime | None = None,
        reason: str = "",
    ) -> None:
        if (after is None) == (until is None):
            msg = "Snooze takes either after or until"
            raise BadOption(msg)
        if until is not None and until.tzinfo is None:
            msg = f"Snooze(until): {until!r} has no time zone"
            raise BadOption(msg)
        super().__init__(reason)
        self.after_seconds = None if after is None else seconds(after, name="Snooze(after)")
        self.until = until


class Dead(Signal):
    """Give up for good: no retry can help."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Cancel(Signal):
    """The job has become pointless: end it as cancelled."""

    def __init__(self, reason: str = "") -> None:
        super().__init__(reason or "cancelled by its handler")
        self.reason = str(self)
