"""What an attempt came to, and how an error or a signal decides it."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from leasehold.model.durations import seconds
from leasehold.model.passwords import hide_passwords
from leasehold.model.retry import Failure
from leasehold.model.signals import Cancel, Dead, Retry, Snooze

if TYPE_CHECKING:
    from datetime import datetime

    from leasehold.model.retry import RetryPolicy

MESSAGE_LIMIT = 2_000
TRACEBACK_LIMIT = 16_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorText:
    """An error as it is stored: text only, cut to size, safe for JSON and PostgreSQL."""

    message: str
    traceback: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Succeeded:
    """The handler returned."""

    result: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The attempt is counted, and the job comes back after `delay_seconds`."""

    error: ErrorText
    delay_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Snoozed:
    """The handler asked to be run later; nothing is counted."""

    delay_seconds: float | None = None
    until: datetime | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """Handed back, untouched or unfinished; nothing is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """The job ended as cancelled."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Died:
    """The job ended as dead: its attempts are spent, or no retry can help."""

    error: ErrorText
    is_counted: bool = True


Outcome: TypeAlias = Succeeded | Failed | Snoozed | Released | Cancelled | Died


def decide(
    error: BaseException,
    *,
    failures: int,
    max_attempts: int,
    policy: RetryPolicy,
    chance: float,
) -> Outcome:
    """Turn what a handler raised into an outcome. `failures` are those before this attempt."""
    match error:
        case Snooze():
            reason = hide_passwords(str(error))
            return Snoozed(delay_seconds=error.after_seconds, until=error.until, reason=reason)
        case Cancel():
            return Cancelled(reason=hide_passwords(clean(error.reason)))
        case Dead():
            return Died(error=ErrorText(message=hide_passwords(clean(f"Dead: {error.reason}"))))
        case _:
            return _failed(error, failures + 1, max_attempts, policy, chance)


def _failed(
    error: BaseException,
    failures: int,
    max_attempts: int,
    policy: RetryPolicy,
    chance: float,
) -> Failed | Died:
    text = describe(error)
    if failures >= max_attempts:
        return Died(error=text)
    if isinstance(error, Retry):
        return Failed(error=text, delay_seconds=error.after_seconds)
    wait = policy(Failure(failures=failures, error=error, chance=chance))
    if wait is None:
        return Died(error=text)
    return Failed(error=text, delay_seconds=seconds(wait, name="retry policy"))


def describe(error: BaseException) -> ErrorText:
    """Write an error down as text; the passwords of URLs in it are no part of what is kept."""
    name = type(error).__qualname__
    try:
        message = str(error)
    except Exception as broken:  # noqa: BLE001 - a handler's __str__ may do anything
        message = f"(its message can't be shown: {type(broken).__qualname__})"
    lines = traceback.format_exception(error)
    return ErrorText(
        message=hide_passwords(clean(f"{name}: {message}" if message else name))[:MESSAGE_LIMIT],
        traceback=hide_passwords(clean("".join(lines)))[-TRACEBACK_LIMIT:],
    )


def clean(text: str) -> str:
    """Replace what a database can't hold as text: NUL and lone surrogates."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def lapse_delay_seconds(lapses: int, chance: float) -> float:
    """How long a reclaimed job waits: about 1 s the first time, up to 60 s later, full jitter."""
    if lapses == 0:
        return 0.5 + chance
    return min(60.0, 2.0**lapses) * chance
