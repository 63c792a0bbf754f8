"""So many requests in so many seconds, counted in windows that follow one another."""

from __future__ import annotations

import math

from leasehold.kit.servers.clock import Clock


class Window:
    """A limit, if one is set."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.requests = 0
        self.seconds = 0.0
        self._number = -1
        self._spent = 0

    def set(self, requests: int, seconds: float) -> None:
        self.requests, self.seconds = requests, seconds
        self._number = -1

    def spend(self) -> float | None:
        """Count a request; returns how many seconds to wait if it is one too many."""
        if not self.requests:
            return None
        self._turn()
        if self._spent >= self.requests:
            return max(0.0, self.ends - self._clock.now())
        self._spent += 1
        return None

    @property
    def left(self) -> int:
        return self.requests - self._spent

    @property
    def ends(self) -> float:
        """The moment at which the next window begins, in seconds since 1970."""
        return (math.floor(self._clock.now() / self.seconds) + 1) * self.seconds

    def _turn(self) -> None:
        number = math.floor(self._clock.now() / self.seconds)
        if number != self._number:
            self._number, self._spent = number, 0
