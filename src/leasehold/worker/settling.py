"""From an outcome to the settlement that the store writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from msgspec import structs

from leasehold.model.outcomes import (
    Cancelled,
    Died,
    Failed,
    Outcome,
    Released,
    Snoozed,
    Succeeded,
    clean,
)
from leasehold.model.values import Settlement
from leasehold.worker.attempt import NOT_STARTED

if TYPE_CHECKING:
    from leasehold.worker.attempt import Attempt

REJECTED_DELAY_SECONDS = 60.0


def settlement(attempt: Attempt, outcome: Outcome, now: float) -> Settlement:
    """Write an outcome down for the store."""
    ended = _of_outcome(attempt, outcome, now)
    if attempt.seal is not None:
        ended = attempt.seal.settle(ended)
    return ended if attempt.spent is None else structs.replace(ended, spent=attempt.spent)


def _of_outcome(attempt: Attempt, outcome: Outcome, now: float) -> Settlement:
    claim = attempt.claim
    job_id, fence = claim.job_id, claim.fence
    elapsed = None if attempt.started_at == NOT_STARTED else now - attempt.started_at
    match outcome:
        case Succeeded():
            return Settlement(
                job_id=job_id, fence=fence, result=outcome.result, elapsed_seconds=elapsed
            )
        case Failed(error=error, delay_seconds=delay):
            return Settlement(
                job_id=job_id,
                fence=fence,
                outcome="failed",
                error=error.message,
                traceback=error.traceback,
                delay_seconds=delay,
                is_counted=True,
                elapsed_seconds=elapsed,
            )
        case Snoozed(delay_seconds=delay, until=until, reason=reason):
            return Settlement(
                job_id=job_id,
                fence=fence,
                outcome="snoozed",
                error=clean(reason) or None,
                delay_seconds=delay,
                run_at=until,
                elapsed_seconds=elapsed,
            )
        case Released():
            return Settlement(
                job_id=job_id, fence=fence, outcome="released", elapsed_seconds=elapsed
            )
        case Cancelled(reason=reason):
            return Settlement(
                job_id=job_id,
                fence=fence,
                outcome="cancelled",
                error=clean(reason) or None,
                elapsed_seconds=elapsed,
            )
        case Died(error=error, is_counted=is_counted):
            return Settlement(
                job_id=job_id,
                fence=fence,
                outcome="dead",
                error=error.message,
                traceback=error.traceback,
                is_counted=is_counted,
                elapsed_seconds=elapsed,
            )
        case _:
            assert_never(outcome)


def rejected(attempt: Attempt, error: Exception) -> Settlement:
    """What a settlement becomes that the database would not take: a counted failure."""
    claim = attempt.claim
    is_last = claim.failures + 1 >= claim.max_attempts
    return Settlement(
        job_id=claim.job_id,
        fence=claim.fence,
        outcome="dead" if is_last else "failed",
        error=clean(f"BadResult: the database refused how this attempt ended: {error}")[:2_000],
        delay_seconds=None if is_last else REJECTED_DELAY_SECONDS,
        is_counted=True,
    )
