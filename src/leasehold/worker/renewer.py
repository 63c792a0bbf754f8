"""Keeps leases alive, from its own thread and connection, whatever the handlers do."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from leasehold.errors import Cancelling, LeaseGone, LeaseholdError

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.book import Book
    from leasehold.worker.observing import Observing

_logger = logging.getLogger("leasehold.worker")


class Renewer:
    """Renews a lease once a quarter of it is used up, and asks for cancellations in between."""

    def __init__(
        self,
        store: Store,
        worker: WorkerId,
        book: Book,
        look_seconds: float,
        observing: Observing | None = None,
    ) -> None:
        self._store = store
        self._worker = worker
        self._book = book
        self._look_seconds = look_seconds
        self._observing = observing
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._serve, name="leasehold-renew", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_seconds: float) -> None:
        self._stopped.set()
        self._thread.join(timeout_seconds)

    def _serve(self) -> None:
        while not self._stopped.wait(self._look_seconds):
            try:
                self.step(time.monotonic())
            except LeaseholdError as error:
                _logger.warning("renewal failed", extra={"error": str(error)})
            except Exception:  # a service loop: it must go on
                _logger.exception("renewal failed")
        self._store.close()

    def step(self, now: float) -> None:
        """Renew what is a quarter used up; ask about the rest that runs."""
        # What its handler's own transaction has settled has no lease any more, and needs none.
        held = [each for each in self._book.held() if not each.is_settled]
        due = [each for each in held if now >= each.expires_at - 0.75 * each.claim.lease_seconds]
        if due:
            self._renew(due, now)
        renewed = set(due)
        running = self._book.running()
        others = [each for each in running if each not in renewed and not each.is_settled]
        if others:
            asked = self._store.cancel_requests([each.held() for each in others])
            self._stop(others, asked)

    def _renew(self, due: list[Attempt], now: float) -> None:
        renewal = self._store.renew(self._worker, [each.held() for each in due])
        for attempt in due:
            if attempt.claim.job_id in renewal.lost:
                if not attempt.is_settled and attempt.interrupt(LeaseGone, now):
                    _logger.warning("lease lost", extra={"job": str(attempt.claim.job_id)})
                    if self._observing is not None:
                        self._observing.lost(attempt)
            else:
                # `now` was read before the renewal was sent, so this errs on the safe side.
                attempt.expires_at = now + attempt.claim.lease_seconds
        self._stop(due, renewal.cancelled)

    def _stop(self, attempts: list[Attempt], cancelled: frozenset[object]) -> None:
        now = time.monotonic()
        for attempt in attempts:
            if attempt.claim.job_id in cancelled:
                attempt.interrupt(Cancelling, now)
