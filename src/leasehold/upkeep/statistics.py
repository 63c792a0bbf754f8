"""Samples how deep the queues are, and brings old statistics together: one worker of the fleet.

It runs on a thread of its own, in the worker that has the duty. Counting reads all live jobs: the
longer it takes, the more seldom it is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.upkeep.errand import Errand

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import WorkerId
    from leasehold.store.base import Store

DUTY = "statistics"
ASK_SECONDS = 15.0  # between the questions of one worker whether it is its turn
DUTY_SECONDS = 60.0  # how long a killed worker keeps the others from going on
RENEW_SECONDS = 20.0
SAMPLE_SECONDS = 10.0
REST = 50  # times as long as counting took
LONGEST_REST_SECONDS = 600.0
FOLD_SECONDS = 60.0
FOLD_LIMIT = 1_000
FOLD_REST_SECONDS = 0.1  # between two parts


class Sampler:
    """Asks, from the claimer's rounds, whether it is this worker's turn, and then goes on."""

    def __init__(self, store: Store, worker: WorkerId, *, clock: Callable[[], float]) -> None:
        self._store = store
        self._worker = worker
        self._clock = clock
        self._errand = Errand("statistics")

    def ask(self, store: Store) -> None:
        """Take the duty on, on the asker's own connection, and begin, unless we are at it."""
        if not self._errand.may_begin:
            return
        if store.take_duty(DUTY, self._worker, seconds=DUTY_SECONDS) is not None:
            self._errand.begin(self.go_on)

    def stop(self, timeout_seconds: float) -> None:
        """End after the present step, and leave the duty to others. Safe twice, and at once."""
        self._errand.stop(timeout_seconds)

    def go_on(self) -> None:
        """Sample and fold until told to stop, or until another one has the duty."""
        now = self._clock()
        sample_at, fold_at, renew_at = now, now, now + RENEW_SECONDS
        while True:
            if (now := self._clock()) >= sample_at:
                sample_at = max(now + self._sample(), sample_at + SAMPLE_SECONDS)
            if self._clock() >= fold_at:
                fold_at = self._clock() + self._fold()
            if self._clock() >= renew_at:
                renew_at = self._clock() + RENEW_SECONDS
                if not self._renew(DUTY_SECONDS):
                    return  # another one took over
            if self._errand.rest(max(0.0, min(sample_at, fold_at, renew_at) - self._clock())):
                self._renew(0.0)
                return

    def _sample(self) -> float:
        """Count; returns how long to rest after it at least."""
        began = self._clock()
        self._store.sample_depths()
        return min(LONGEST_REST_SECONDS, (self._clock() - began) * REST)

    def _fold(self) -> float:
        """Take a step; returns in how many seconds there may be more."""
        folded = self._store.fold_statistics(limit=FOLD_LIMIT)
        return FOLD_REST_SECONDS if folded else FOLD_SECONDS

    def _renew(self, seconds: float) -> bool:
        return self._store.renew_duty(DUTY, self._worker, seconds=seconds, cursor=None)
