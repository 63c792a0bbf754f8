"""The leases a worker holds, from the claim until the store has answered their settlement."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from leasehold.worker.attempt import Attempt


class Book:
    """Counts what waits and what runs here; the claimer asks it for room."""

    def __init__(self) -> None:
        # By the job id's number, which hashes faster than the id. A job that was lost and claimed
        # again is here once, with its newer lease.
        self._held: dict[int, Attempt] = {}
        self._running: set[Attempt] = set()
        self._lock = threading.Lock()
        self.finished = 0  # grows; the claimer measures the rate by it
        self.suspects = 0
        self._open = 0
        self._idle_since = time.monotonic()
        self._idle_seconds = 0.0
        self._by_queue: dict[str, int] = {}

    def add(self, attempts: Collection[Attempt]) -> None:
        with self._lock:
            self._held.update({each.claim.job_id.int: each for each in attempts})
            if not self._open:
                self._idle_seconds += time.monotonic() - self._idle_since
            self._open += len(attempts)
            queues = [each.claim.queue for each in attempts]
            for queue in set(queues):  # a Counter takes longer to make, and a lone job waits for it
                self._by_queue[queue] = self._by_queue.get(queue, 0) + queues.count(queue)
            self.suspects += sum([each.claim.lapses > 0 for each in attempts])

    def start(self, attempt: Attempt, now: float) -> None:
        attempt.started_at = now
        attempt.deadline = now + attempt.claim.timeout_seconds
        self._running.add(attempt)

    def end(self, attempt: Attempt, *, is_abandoned: bool = False) -> bool:
        """The handler is done with; False when somebody had ended this attempt before."""
        with self._lock:
            if attempt.is_over:
                return False
            attempt.is_over = True
            if is_abandoned:  # in here, so that the handler's runner and the watch agree on it
                attempt.is_abandoned = True
            self._running.discard(attempt)
            self.finished += 1
            self._by_queue[attempt.claim.queue] -= 1
            self._open -= 1
            if not self._open:
                self._idle_since = time.monotonic()
            return True

    def part(self, attempt: Attempt) -> Attempt | None:
        """Take what follows an attempt from it; once that has ended, it is its ender's."""
        with self._lock:
            if attempt.is_over:
                return None
            following, attempt.following = attempt.following, None
            return following

    def strike(self, attempts: Iterable[Attempt]) -> None:
        """The store has answered: these leases are settled or lost."""
        with self._lock:
            for attempt in attempts:
                number = attempt.claim.job_id.int
                if self._held.get(number) is attempt:
                    del self._held[number]
                    # Only now: were the next one to kill us before, this one would be charged.
                    self.suspects -= attempt.claim.lapses > 0

    def held(self) -> list[Attempt]:
        with self._lock:
            return list(self._held.values())

    def running(self) -> list[Attempt]:
        with self._lock:
            return list(self._running)

    def open_in(self, queue: str) -> int:
        """How many of a queue's jobs wait or run here."""
        return self._by_queue.get(queue, 0)

    @property
    def open_count(self) -> int:
        """How many wait or run here, not counting what only waits for the store's answer."""
        return self._open

    def busy_seconds(self, now: float) -> float:
        """How long there was something open here: grows, from whatever it began with."""
        with self._lock:
            idle = self._idle_seconds + (0.0 if self._open else now - self._idle_since)
            return now - idle

    def open_slots(self) -> int:
        """How many slots of throttles are taken here: of a line only its last has one."""
        with self._lock:
            return sum([each.has_slot and not each.is_over for each in self._held.values()])

    @property
    def running_count(self) -> int:
        return len(self._running)

    @property
    def is_empty(self) -> bool:
        return not self._held
