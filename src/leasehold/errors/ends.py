"""What became of an attempt, or of a job that somebody waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.errors.root import LeaseholdError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID


class LeaseLost(LeaseholdError):
    """The attempt's lease was taken back or cancelled: nothing it writes is accepted any more."""

    def __init__(self, job_id: UUID, reason: str = "its lease was taken back") -> None:
        super().__init__(f"job {job_id}: {reason}; what this attempt wrote was rolled back")
        self.job_id = job_id


class JobFailed(LeaseholdError):
    """A job that was waited for has ended dead: it will not be tried again by itself."""

    def __init__(self, job_id: UUID, kind: str, error: str | None) -> None:
        super().__init__(
            f"job {job_id} ({kind}) ended dead: {error or 'no error was written down'}"
        )
        self.job_id = job_id
        self.kind = kind
        self.error = error


class JobCancelled(LeaseholdError):
    """A job that was waited for has been cancelled."""

    def __init__(self, job_id: UUID, kind: str, reason: str | None) -> None:
        super().__init__(f"job {job_id} ({kind}) was cancelled: {reason or 'nobody said why'}")
        self.job_id = job_id
        self.kind = kind
        self.reason = reason


class WaitTimeout(LeaseholdError, TimeoutError):
    """The jobs have not all ended in time; they go on, and can be waited for again.

    `job_ids` are those that had not ended. When the store could not be asked lately, its error is
    the `__cause__`.
    """

    def __init__(self, job_ids: Iterable[UUID], timeout_seconds: float) -> None:
        self.job_ids = tuple(job_ids)
        self.timeout_seconds = timeout_seconds
        first, rest = self.job_ids[:3], self.job_ids[3:]
        named = ", ".join(map(str, first))
        more = f" and {len(rest):,} more" if rest else ""
        super().__init__(f"not ended within {timeout_seconds:g} s: {named}{more}")
