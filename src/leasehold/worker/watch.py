"""Ends what must not go on: handlers past their deadline, or whose lease is about to end."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from leasehold.errors import LeaseGone, TimedOut
from leasehold.worker.attempt import NOT_STARTED

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.worker.attempt import Attempt
    from leasehold.worker.book import Book
    from leasehold.worker.conclusion import Conclusion

LOOK_SECONDS = 0.1
ABANDON_SECONDS = 5.0
_logger = logging.getLogger("leasehold.worker")


class Watch:
    """One timer for all handlers: it looks at the running ones ten times a second."""

    def __init__(
        self, book: Book, conclusion: Conclusion, on_abandoned: Callable[[Attempt], None]
    ) -> None:
        self._book = book
        self._conclusion = conclusion
        self._on_abandoned = on_abandoned
        self._abandon_seconds = ABANDON_SECONDS
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="leasehold-watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_seconds: float) -> None:
        self._stopped.set()
        self._thread.join(timeout_seconds)

    def hurry(self) -> None:
        """The worker's time is up: abandon what is still running at the next look."""
        self._abandon_seconds = 0.0

    def _serve(self) -> None:
        while not self._stopped.wait(LOOK_SECONDS):
            try:
                self.step(time.monotonic())
            except Exception:  # a service loop: it must go on
                _logger.exception("watch failed")

    def step(self, now: float) -> None:
        for attempt in self._book.running():
            if now >= attempt.deadline:
                attempt.interrupt(TimedOut, now)
            elif now >= attempt.expires_at - _margin_seconds(attempt) and not attempt.is_settled:
                attempt.interrupt(LeaseGone, now)
            if now >= attempt.interrupted_at + self._abandon_seconds:
                self._abandon(attempt)

    def _abandon(self, attempt: Attempt) -> None:
        reason = attempt.interruption
        if reason is None or attempt.interrupted_at == NOT_STARTED:
            return
        if not self._conclusion.abandon(attempt, reason):
            return
        extra = {"job": str(attempt.claim.job_id), "kind": attempt.claim.kind}
        _logger.error("handler abandoned", extra={**extra, "reason": reason.__name__})
        self._on_abandoned(attempt)


def _margin_seconds(attempt: Attempt) -> float:
    """How long before the lease's end the handler is stopped when renewals do not get through."""
    return min(5.0, attempt.claim.lease_seconds / 6)
