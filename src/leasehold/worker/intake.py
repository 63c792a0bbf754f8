"""Takes in leases just taken: they go to the runners; what nobody knows of is handed back."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from leasehold.model.values import Settlement
from leasehold.worker.attempt import attempt_of, line_up
from leasehold.worker.sealing import Opener

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Claim
    from leasehold.registry import Registry
    from leasehold.store.base import Store
    from leasehold.worker.book import Book
    from leasehold.worker.journal import Journal
    from leasehold.worker.observing import Observing
    from leasehold.worker.plan import Plan
    from leasehold.worker.runners import Runners

DOUBT_SECONDS = 5.0
_logger = logging.getLogger("leasehold.worker")


class Intake:
    """For the claimer's thread."""

    def __init__(
        self,
        *,
        store: Store,
        worker: WorkerId,
        registry: Registry,
        book: Book,
        runners: Runners,
        plan: Plan,
        journal: Journal,
        observing: Observing | None = None,
    ) -> None:
        self._worker = worker
        self._tasks = {task.name: task for task in registry}
        self._book = book
        self._runners = runners
        self._plan = plan
        self._journal = journal
        self._observing = observing
        self._opener = Opener(lambda: store.keyring, self._tasks)
        self.is_stopping = False
        # Since when leases may stand that we do not know: the answer of who took them was lost.
        self._doubt_since: float | None = None
        self._is_doubt_fresh = False

    def start(self, store: Store, claims: list[Claim], asked_at: float) -> int:
        """Give these to the runners; says how many."""
        if self.is_stopping:
            self._hand_back(store, claims)
            return 0
        self._plan.taken += len(claims)
        attempts = [attempt_of(each, self._tasks[each.kind], asked_at) for each in claims]
        self._book.add(attempts)
        for attempt in self._opener.wanted(attempts):
            attempt.verdict = self._opener.open(attempt)  # where it can't be read
        self._runners.submit(line_up(attempts))
        self._journal.claimed(len(claims))
        if self._observing is not None:
            self._observing.tell("claimed", len(claims), time.monotonic() - asked_at)
        return len(claims)

    def _hand_back(self, store: Store, claims: list[Claim]) -> None:
        """Release what a claim gave that was under way when the stop came.

        Here and now: the finisher may have ended, if nobody had the time to wait for us.
        """
        released = [
            Settlement(job_id=each.job_id, fence=each.fence, outcome="released") for each in claims
        ]
        store.finish(self._worker, released)

    # -- leases that nobody knows of -------------------------------------------------------------
    @property
    def is_in_doubt(self) -> bool:
        return self._doubt_since is not None

    def doubt(self) -> None:
        """A claim's answer may have been lost."""
        self._doubt_since, self._is_doubt_fresh = time.monotonic(), True

    def settle_fresh_doubt(self, store: Store) -> None:
        """Before a claim: one that knows nothing of a lost answer could get the same job again."""
        if self._is_doubt_fresh:
            self.settle_doubt(store)

    def settle_doubt(self, store: Store) -> None:
        """After a claim whose answer was lost, hand back the leases that we do not know.

        The database may still have been at work on that claim: look again for a few seconds.
        """
        if self._doubt_since is None:
            return
        known = [each.held() for each in self._book.held()]
        released = store.release_unknown(self._worker, known)
        self._is_doubt_fresh = False
        if time.monotonic() - self._doubt_since > DOUBT_SECONDS:
            self._doubt_since = None
        if released:
            _logger.warning("unknown leases handed back", extra={"count": released})
