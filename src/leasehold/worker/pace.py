"""How far ahead to claim: enough that nothing idles, no more than starts soon."""

from __future__ import annotations

AHEAD_SECONDS = 0.1
MOST_AHEAD = 4_000
BATCH = 2_000  # a statement costs as much as 50 to 80 of its rows
_SMOOTHING = 0.5
_MEMORY_SECONDS = 0.25
_SHORTEST_SECONDS = 0.001


class Pace:
    """Measures how fast jobs end here. A new or slow worker claims only what its slots can hold."""

    def __init__(self, slots: int, shortest_lease_seconds: float, *, can_prefetch: bool) -> None:
        self._slots = slots
        self._ahead_seconds = min(AHEAD_SECONDS, shortest_lease_seconds / 10)
        self._can_prefetch = can_prefetch
        self._rate = 0.0
        self._finished = 0
        self._measured_at: float | None = None

    def measure(self, finished: int, now: float) -> None:
        """Take in how many jobs have ended so far."""
        if self._measured_at is None:
            self._measured_at, self._finished = now, finished
            return
        elapsed = now - self._measured_at
        if elapsed < _SHORTEST_SECONDS:
            return
        rate = (finished - self._finished) / elapsed
        # A claim of many takes a while, in which nothing new can end: that says little.
        share = _SMOOTHING if rate > self._rate else min(_SMOOTHING, elapsed / _MEMORY_SECONDS)
        self._rate += (rate - self._rate) * share
        self._measured_at, self._finished = now, finished

    def _ahead(self, share: float) -> int:
        wanted = int(self._rate * self._ahead_seconds * share)
        return min(MOST_AHEAD, wanted) if self._can_prefetch else 0

    def room(self, open_count: int, *, ahead_share: float = 1.0) -> int:
        """How many to claim now; 0 until half of what is held ahead has started."""
        ahead = self._ahead(ahead_share)
        if open_count >= self._slots + ahead // 2:
            return 0
        return min(BATCH, self._slots + ahead - open_count)
