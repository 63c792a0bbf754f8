"""How far ahead to claim: enough that nothing idles, no more than starts soon."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

AHEAD_SECONDS = 0.1
MOST_AHEAD = 4_000
BATCH = 2_000  # a statement costs as much as 50 to 80 of its rows
WINDOW_SECONDS = 0.25
PAUSE_SECONDS = 2.0
_SHORTEST_SECONDS = 0.01  # a few that end at once say nothing about speed
_NOTE_SECONDS = 0.01


class _Note(NamedTuple):
    at: float
    busy_seconds: float
    finished: int


class Pace:
    """Measures how fast jobs end here. A new or slow worker claims only what its slots can hold.

    The speed is that of the last quarter of a second in which there was something to do: jobs that
    began together end together, and while a claim waits for the store nothing new can end.
    """

    def __init__(self, slots: int, shortest_lease_seconds: float, *, can_prefetch: bool) -> None:
        self._slots = slots
        self._ahead_seconds = min(AHEAD_SECONDS, shortest_lease_seconds / 10)
        self._can_prefetch = can_prefetch
        self._rate = 0.0
        self._notes: deque[_Note] = deque()

    def measure(self, finished: int, busy_seconds: float, now: float) -> None:
        """Take in how many jobs have ended so far, and for how long there were any."""
        notes = self._notes
        if notes and now - notes[-1].at > PAUSE_SECONDS:
            notes.clear()  # what comes after a pause may be something else
        if not notes or now - notes[-1].at >= _NOTE_SECONDS:
            notes.append(_Note(now, busy_seconds, finished))
        while len(notes) > 1 and (
            busy_seconds - notes[1].busy_seconds >= WINDOW_SECONDS
            or now - notes[1].at >= PAUSE_SECONDS
        ):
            notes.popleft()
        since = notes[0]
        took = max(_SHORTEST_SECONDS, busy_seconds - since.busy_seconds)
        self._rate = (finished - since.finished) / took

    def _ahead(self, share: float) -> int:
        wanted = int(self._rate * self._ahead_seconds * share)
        return min(MOST_AHEAD, wanted) if self._can_prefetch else 0

    def room(self, open_count: int, *, ahead_share: float = 1.0) -> int:
        """How many to claim now; 0 until half of what is held ahead has started."""
        ahead = self._ahead(ahead_share)
        if open_count >= self._slots + ahead // 2:
            return 0
        return min(BATCH, self._slots + ahead - open_count)
