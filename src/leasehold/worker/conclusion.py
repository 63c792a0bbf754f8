"""From what a handler did to the outcome that is written."""

from __future__ import annotations

import asyncio
import logging
import random
from typing import TYPE_CHECKING, Any

from leasehold.errors import BadResult, Cancelling, Interrupted, LeaseGone, Stopping, TimedOut
from leasehold.model.outcomes import (
    Cancelled,
    Outcome,
    Released,
    Succeeded,
    decide,
    describe,
)
from leasehold.model.retry import exponential
from leasehold.model.scrubbing import frames_of, scrub
from leasehold.payload import refuse_secrets

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.worker.attempt import Attempt
    from leasehold.worker.book import Book
    from leasehold.worker.finisher import Finisher
    from leasehold.worker.observing import Observing

_SUCCEEDED = Succeeded()
_logger = logging.getLogger("leasehold.worker")


class Conclusion:
    """Ends attempts: takes them out of the running ones and hands them to the finisher."""

    def __init__(self, book: Book, finisher: Finisher, observing: Observing | None = None) -> None:
        self._book = book
        self._finisher = finisher
        self._observing = observing
        self.follow: Callable[[Attempt], None]  # the runners': starts what stood behind one

    def skips(self, attempt: Attempt) -> bool:
        """End one whose turn has come and that must not start; whether it is such a one."""
        if attempt.verdict is not None:
            self.outcome(attempt, attempt.verdict)
        elif attempt.interruption is not None:
            self.raised(attempt, attempt.interruption())
        else:
            return False
        return True

    def returned(self, attempt: Attempt, value: Any) -> None:
        """The handler returned."""
        outcome = outcome_of_return(attempt, value)
        if self._observing is not None:
            self._observing.leave(attempt, outcome, None)
        self.outcome(attempt, outcome)

    def raised(self, attempt: Attempt, error: BaseException) -> None:
        """The handler raised, or was made to."""
        outcome = outcome_of_error(attempt, error)
        if self._observing is not None:
            self._observing.leave(attempt, outcome, error)
        self.outcome(attempt, outcome)

    def answered(self, attempt: Attempt, outcome: Outcome) -> None:
        """A child process has said what its handler came to; it has no keys and does not ask."""
        if isinstance(outcome, Succeeded) and outcome.result is not None and attempt.seal is None:
            outcome = _without_secrets(attempt, outcome)
        if self._observing is not None:
            self._observing.leave(attempt, outcome, None)
        self.outcome(attempt, outcome)

    def outcome(self, attempt: Attempt, outcome: Outcome) -> None:
        """Settle it so. An attempt ends once: what comes after it was abandoned is dropped."""
        if self._book.end(attempt):
            self._finisher.put(attempt, outcome)
            self._go_on(attempt)

    def abandon(self, attempt: Attempt, reason: type[Interrupted]) -> bool:
        """Settle one whose handler does not end; False when it has just ended after all."""
        if not self._book.end(attempt, is_abandoned=True):
            return False
        self._finisher.put(attempt, outcome_of_error(attempt, reason()))
        self._go_on(attempt)
        return True

    def _go_on(self, attempt: Attempt) -> None:
        following = attempt.following
        if following is not None:
            attempt.following = None
            self.follow(following)


def outcome_of_return(attempt: Attempt, value: Any) -> Outcome:
    """What a returned value comes to. A job that outlived its deadline failed all the same."""
    if attempt.is_settled:
        if value is not None:
            _logger.warning("return value dropped", extra=_names(attempt, "ended by transaction"))
        return _SUCCEEDED
    if attempt.interruption is TimedOut:
        return _decide(attempt, _timed_out(attempt))
    if value is None:
        return _SUCCEEDED
    try:
        raw = attempt.task.encode_result(value, is_sealed=attempt.seal is not None)
        return Succeeded(result=raw)
    except BadResult as error:
        return _decide(attempt, error)


def _without_secrets(attempt: Attempt, outcome: Succeeded) -> Outcome:
    def refuse(reason: str) -> BadResult:
        return BadResult(attempt.claim.kind, reason)

    try:
        refuse_secrets(bytes(outcome.result), root="result", refuse=refuse)
    except BadResult as error:
        return _decide(attempt, error)
    return outcome


def outcome_of_error(attempt: Attempt, error: BaseException) -> Outcome:
    """What an error comes to, seen with the reason why the handler was interrupted, if it was."""
    if attempt.is_settled:
        _logger.error("error after success", extra=_names(attempt, "it had ended", error))
        return Succeeded()
    interruption = attempt.interruption
    if interruption is TimedOut:
        return _decide(attempt, _timed_out(attempt))
    if interruption is Cancelling:
        return Cancelled(reason="cancelled")
    if interruption is Stopping or interruption is LeaseGone:
        return Released()
    if isinstance(error, (asyncio.CancelledError, Interrupted)):
        error = RuntimeError(f"the handler cancelled itself ({type(error).__name__})")
    return _decide(attempt, error)


def _decide(attempt: Attempt, error: BaseException) -> Outcome:
    known = {"failures": attempt.claim.failures, "max_attempts": attempt.claim.max_attempts}
    policy = attempt.task.options.retry
    try:
        return decide(error, policy=policy, chance=random.random(), **known)
    except Exception as broken:  # noqa: BLE001 - a user's retry policy may raise anything
        # Not with the exception itself: its text may hold arguments.
        _logger.error("retry policy failed", extra=_names(attempt, "using the default", broken))  # noqa: TRY400
        broken.__cause__ = error
        return decide(broken, policy=exponential(), chance=random.random(), **known)


def _timed_out(attempt: Attempt) -> TimedOut:
    return TimedOut(f"ran longer than its timeout of {attempt.claim.timeout_seconds:g} s")


def _names(attempt: Attempt, reason: str, error: BaseException | None = None) -> dict[str, Any]:
    claim = attempt.claim
    names = {"job": str(claim.job_id), "kind": claim.kind, "reason": reason}
    if error is None:
        return names
    said = scrub(describe(error).message, claim.args)
    if attempt.seal is not None:
        said = attempt.seal.class_of(said)
    return names | {"error": said, "traceback": frames_of(error)}
