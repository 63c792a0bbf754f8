"""What can keep a job from running, and the words that its rules are written with."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import TypeAlias

import msgspec

from leasehold.model.envelopes import shown_text
from leasehold.model.facts import COUNT_LIMIT, Facts
from leasehold.model.ids import JobId


class Reason(StrEnum):
    """Why a job does not run now: for programs, which should not have to read the sentence."""

    SUCCEEDED = "succeeded"
    DEAD = "dead"
    CANCELLED = "cancelled"
    REPLACED = "replaced"
    STOPPING = "stopping"
    LAPSED = "lapsed"
    RUNNING = "running"
    DUE = "due"
    SCHEDULED = "scheduled"
    RETRYING = "retrying"
    SNOOZED = "snoozed"
    RECLAIMED = "reclaimed"
    MISSING_KEY = "missing_key"
    BEHIND = "behind"
    NEEDS = "needs"
    FORSAKEN = "forsaken"
    QUEUE_PAUSED = "queue_paused"
    QUEUE_FULL = "queue_full"
    TENANT_FULL = "tenant_full"
    NO_WORKER = "no_worker"
    QUEUE_UNSERVED = "queue_unserved"
    UNKNOWN_KIND = "unknown_kind"
    THROTTLE_UNKNOWN = "throttle_unknown"
    THROTTLE_PAUSED = "throttle_paused"
    THROTTLED = "throttled"
    RATE = "rate"
    SUSPECT = "suspect"
    NO_SLOT = "no_slot"
    TURN = "turn"
    IN_LINE = "in_line"
    NEXT = "next"


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that keeps a job from running. `until` is when it passes by itself, if known."""

    reason: Reason
    text: str
    advice: str
    until: datetime | None = None
    jobs: tuple[JobId, ...] = ()  # which jobs are in its way, a few of them


# Returns None where it does not hold.
CauseRule: TypeAlias = Callable[[Facts], Cause | None]


def command(*words: object) -> str:
    """Write a command that can be pasted: names are what anybody enqueued, so they are quoted."""
    return f"`{shlex.join(['leasehold', *map(str, words)])}`"


def when(moment: datetime | None) -> str:
    """Write an instant, in UTC; model code knows of no other zone."""
    return "?" if moment is None else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def so_many(amount: int, one: str, many: str) -> str:
    """`1 job`, `2 jobs`, and where counting ended `1,000 or more jobs`."""
    if amount >= COUNT_LIMIT:
        return f"{COUNT_LIMIT:,} or more {many}"
    return f"{amount:,} {one if amount == 1 else many}"


def briefly(error: str | None, most: int = 200) -> str:
    """Cut an error to its first line."""
    line = (shown_text(error) or "").strip().partition("\n")[0]
    return line if len(line) <= most else line[: most - 1] + "…"
