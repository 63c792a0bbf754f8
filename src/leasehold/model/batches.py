"""Batches: jobs that belong together; and what callbacks are told when a job or a batch ended."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import msgspec

from leasehold.model.ids import Fence, JobId
from leasehold.model.states import State


class BatchStatus(StrEnum):
    """What a batch is, by its own row; how far it is stands in its counts."""

    OPEN = "open"  # takes members
    SEALED = "sealed"  # waits for its members to end; only running ones may add to it
    ENDED = "ended"  # all members have ended, and its callback was made
    CANCELLING = "cancelling"  # takes no members; some still run
    CANCELLED = "cancelled"  # it was cancelled, and all members have ended

    @property
    def is_final(self) -> bool:
        """Whether only `retry_failed` can change it."""
        return self in {BatchStatus.ENDED, BatchStatus.CANCELLED}


class Adder(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """The lease of a running member that adds to its own batch, which it may do after the seal."""

    job_id: JobId
    fence: Fence


class NewBatch(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One batch to make; the callbacks are documents of jobs, without ids and arguments."""

    id: JobId
    tenant: str = ""
    name: str | None = None
    parent: JobId | None = None  # ends only after this one
    meta: msgspec.Raw | None = None  # a JSON object
    on_end: msgspec.Raw | None = None
    on_failure: msgspec.Raw | None = None
    created_by: str | None = None
    adder: Adder | None = None  # a running member of the parent


class BatchCounts(msgspec.Struct, frozen=True, kw_only=True):
    """Members by their state, at one moment. They add up to `total`."""

    total: int = 0
    queued: int = 0
    blocked: int = 0
    running: int = 0
    failed: int = 0  # waits for its next try
    succeeded: int = 0
    dead: int = 0
    cancelled: int = 0

    @property
    def ended(self) -> int:
        """How many have ended, well or not."""
        return self.succeeded + self.dead + self.cancelled


class BatchInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A batch as people see it. The units are what its members report; None: none has."""

    id: JobId
    tenant: str
    name: str | None
    parent: JobId | None
    meta: dict[str, Any]
    status: BatchStatus
    round: int  # grows each time it is opened again to retry what failed
    counts: BatchCounts
    processed: float | None
    total_units: float | None
    created_by: str | None
    created_at: datetime
    sealed_at: datetime | None
    failed_at: datetime | None  # when the first dead member of this round was noticed
    cancelled_at: datetime | None
    cancelled_by: str | None
    ended_at: datetime | None

    @property
    def progress(self) -> float:
        """How many of its members have ended, from 0 to 1; of one without members, all have."""
        return self.counts.ended / self.counts.total if self.counts.total else 1.0


class BatchFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which batches are listed; None does not restrict."""

    status: BatchStatus | None = None
    tenant: str | None = None
    name: str | None = None
    parent: JobId | None = None


class BatchEnded(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch's callback is told: how it stood when it was made."""

    batch: UUID
    name: str | None = None
    tenant: str = ""
    meta: dict[str, Any] = {}
    round: int = 1
    is_cancelled: bool = False
    total: int = 0
    succeeded: int = 0
    dead: int = 0
    cancelled: int = 0

    @property
    def is_success(self) -> bool:
        """Whether every member succeeded."""
        return self.succeeded == self.total and not self.is_cancelled


class JobEnded(msgspec.Struct, frozen=True, kw_only=True):
    """What a job's callback is told. `state` is succeeded, dead or cancelled."""

    job_id: UUID
    kind: str
    state: State
    attempt: int
    error: str | None = None
    tenant: str = ""
    batch: UUID | None = None


class Followed(msgspec.Struct, frozen=True):
    """What followed from ends, after their commit.

    `busy` are batches that somebody is just adding to or looking at: look again soon.
    """

    batches: tuple[JobId, ...] = ()  # that have ended now
    failures: tuple[JobId, ...] = ()  # whose first dead member was noticed now
    busy: tuple[JobId, ...] = ()
    arrivals: dict[str, int] = {}  # jobs that were made or let go, by queue
    swept_to: JobId | None = None  # the last batch of a sweep that was cut off at its limit
    cancelled: dict[JobId, str | None] = {}  # swept ones that are not over, and by whom

    @property
    def is_any(self) -> bool:
        """Whether anything came of it."""
        return bool(self.batches or self.failures or self.arrivals)


def status_of(*, is_sealed: bool, is_cancelled: bool, is_ended: bool) -> BatchStatus:
    """Say what a batch is by its own row."""
    if is_cancelled:
        return BatchStatus.CANCELLED if is_ended else BatchStatus.CANCELLING
    if is_ended:
        return BatchStatus.ENDED
    return BatchStatus.SEALED if is_sealed else BatchStatus.OPEN
