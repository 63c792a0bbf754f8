"""Does what follows from ends, after their commit: ends batches, and lets go who waited for jobs.

Whoever ends a job only commits its end. What follows is looked for here, at once, and by a sweep,
for the ends of workers that did not live to look.
"""

from __future__ import annotations

import logging
import random
import threading
from collections import deque
from typing import TYPE_CHECKING

from leasehold.errors import LeaseholdError
from leasehold.upkeep.following import cancel_rest, follow_up, sweep_dependents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from leasehold.model.batches import Followed
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store

BATCH = 1_000
SWEEP_LIMIT = 500
THOROUGH_SHARE = 0.1  # of the sweeps: they read all members of batches that want to hear of a death
SECOND_LOOKS_SECONDS = (0.005, 0.02, 0.08)  # at what somebody was just adding to or looking at
_logger = logging.getLogger("leasehold.worker")


class Follower:
    """Own thread; a connection of the pool, for as long as it has something to do.

    What it can't do now is left to the next sweep, of any worker. The thread starts with the first
    end that may have consequences.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._ended: deque[JobId] = deque()
        self._is_sweep_due = False
        self._after: JobId | None = None  # where the last sweep ended
        self._wanted = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._is_stopping = False
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def put(self, ended: Iterable[JobId]) -> None:
        """These jobs have ended, and their ends are committed."""
        self._ended.extend(ended)
        self._wake()

    def sweep(self) -> None:
        """Look for what nobody has followed up."""
        self._is_sweep_due = True
        self._wake()

    def stop(self, timeout_seconds: float) -> None:
        """Follow what has been put up to now, for no longer than that."""
        self._is_stopping = True
        self._wanted.set()
        if self._thread is not None:
            self._thread.join(timeout_seconds)

    @property
    def is_idle(self) -> bool:
        """Whether everything that was put has been followed."""
        return not self._ended and self._idle.is_set()

    def _wake(self) -> None:
        self._idle.clear()
        self._wanted.set()
        if self._thread is None and not self._is_stopping:
            with self._starting:
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._serve, name="leasehold-follow", daemon=True
                    )
                    self._thread.start()

    def _serve(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            self._idle.clear()  # before anything is taken out of what was put
            try:
                self._follow_all()
            except Exception as error:
                is_known = isinstance(error, LeaseholdError)
                _logger.warning(
                    "follow-up postponed",
                    exc_info=None if is_known else error,
                    extra={"error": str(error)},
                )
            if not self._ended and not self._is_sweep_due:
                self._idle.set()
            if self._is_stopping and not self._ended:
                return

    def _follow_all(self) -> None:
        while self._ended:
            some = [self._ended.popleft() for _ in range(min(BATCH, len(self._ended)))]
            self._note(follow_up(self._store, some))
        if self._is_sweep_due:
            self._is_sweep_due = False
            self._sweep()

    def _sweep(self) -> None:
        is_thorough = random.random() < THOROUGH_SHARE
        swept = self._store.sweep(after=self._after, limit=SWEEP_LIMIT, is_thorough=is_thorough)
        self._after = swept.swept_to
        self._note(swept)
        self._note(cancel_rest(self._store, swept.cancelled))
        self._note(sweep_dependents(self._store))

    def _note(self, followed: Followed) -> None:
        """Look again at what somebody was just adding to or looking at."""
        for pause in SECOND_LOOKS_SECONDS:
            if not followed.busy:
                return
            self._wanted.wait(pause)
            followed = self._store.follow_batches(followed.busy)
