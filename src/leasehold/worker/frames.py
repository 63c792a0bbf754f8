"""What goes over the pipes: a length, then JSON."""

from __future__ import annotations

import struct
from datetime import datetime
from typing import Any, BinaryIO, Literal, TypeAlias, assert_never

import msgspec

from leasehold.model.outcomes import (
    Cancelled,
    Died,
    ErrorText,
    Failed,
    Outcome,
    Released,
    Snoozed,
    Succeeded,
)
from leasehold.model.saving import Save
from leasehold.model.values import Claim

NO_RESULT = msgspec.Raw(b"null")
_LENGTH = struct.Struct(">I")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt to run. The module is the parent's registered task's, never a job's own data."""

    module: str
    claim: Claim
    chance: float
    cpu_seconds: float | None
    result_limit: int
    folder: str  # of its own, for temporary files


class Keep(msgspec.Struct, frozen=True, tag="keep"):
    """The child saves, and waits until it is told that it is durable."""

    save: Save


class Note(msgspec.Struct, frozen=True, tag="note"):
    """The child says how far it is, and waits for nothing."""

    save: Save


class Recall(msgspec.Struct, frozen=True, tag="recall"):
    """The child asks what was saved before."""

    what: Literal["cursor", "steps"]


class Told(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The parent's answer."""

    value: Any = None
    is_lost: bool = False
    error: str | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="reply"):
    """How the attempt ended, one field per case."""

    state: str
    result: msgspec.Raw = NO_RESULT
    message: str = ""
    traceback: str | None = None
    delay_seconds: float | None = None
    until: datetime | None = None
    spent: float | None = None

    def outcome(self) -> Outcome:
        error = ErrorText(message=self.message, traceback=self.traceback)
        match self.state:
            case "succeeded":
                return Succeeded(result=None if self.result == NO_RESULT else self.result)
            case "failed":
                return Failed(error=error, delay_seconds=self.delay_seconds or 0.0)
            case "snoozed":
                return Snoozed(
                    delay_seconds=self.delay_seconds, until=self.until, reason=self.message
                )
            case "cancelled":
                return Cancelled(reason=self.message)
            case "released":
                return Released()
            case _:
                return Died(error=error)


class Exceeded(msgspec.Struct, frozen=True, tag="exceeded"):
    """The attempt ended at one of its limits."""

    what: Literal["memory", "file_size"]


class Unbounded(msgspec.Struct, frozen=True, tag="unbounded"):
    """The child could not bound itself, and will run nothing."""

    reason: str


# All that a child may send.
Said: TypeAlias = Reply | Keep | Note | Recall | Exceeded | Unbounded


def reply_of(outcome: Outcome) -> Reply:
    """Write an outcome down for the pipe."""
    match outcome:
        case Succeeded(result=result):
            return Reply(state="succeeded", result=NO_RESULT if result is None else result)
        case Failed(error=error, delay_seconds=delay):
            return Reply(
                state="failed",
                message=error.message,
                traceback=error.traceback,
                delay_seconds=delay,
            )
        case Snoozed(delay_seconds=delay, until=until, reason=reason):
            return Reply(state="snoozed", delay_seconds=delay, until=until, message=reason)
        case Cancelled(reason=reason):
            return Reply(state="cancelled", message=reason)
        case Released():
            return Reply(state="released")
        case Died(error=error):
            return Reply(state="dead", message=error.message, traceback=error.traceback)
        case _:
            assert_never(outcome)


def write_frame(pipe: BinaryIO, payload: bytes) -> None:
    pipe.write(_LENGTH.pack(len(payload)) + payload)
    pipe.flush()


def read_frame(pipe: BinaryIO, *, limit: int) -> bytes:
    """Read one frame; `EOFError` when the other side is gone or sends more than it may."""
    (length,) = _LENGTH.unpack(_read_exactly(pipe, _LENGTH.size))
    if length > limit:
        msg = f"a frame of {length:,} bytes, over the limit of {limit:,}"
        raise EOFError(msg)
    return _read_exactly(pipe, length)


def _read_exactly(pipe: BinaryIO, size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data
