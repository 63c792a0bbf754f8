"""How long attempts of a kind take: a running high estimate, the mean and twice the deviation."""

from __future__ import annotations

import msgspec

# As TCP does for a round trip: the newest is an eighth of the mean, a quarter of the spread.
MEAN_SHARE = 1 / 8
SPREAD_SHARE = 1 / 4
SPREADS = 2.0
PRIOR_ATTEMPTS = 8  # what stood there before counts like so many attempts


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker found for one kind. `weight` is over 0, at most 1: how much it rests on."""

    kind: str
    seconds: float
    weight: float


class Estimate:
    """One kind's attempts. It begins with what others found, if anything."""

    __slots__ = ("_mean", "_spread", "attempts")

    def __init__(self, known_seconds: float | None = None) -> None:
        self._mean = known_seconds
        self._spread = 0.0
        self.attempts = 0  # measured here

    @property
    def typical_seconds(self) -> float | None:
        """A high estimate; None before anything is known."""
        return None if self._mean is None else self._mean + SPREADS * self._spread

    @property
    def weight(self) -> float:
        return self.attempts / (self.attempts + PRIOR_ATTEMPTS)

    def add(self, seconds: float) -> None:
        """Take in one attempt."""
        self.attempts += 1
        if self._mean is None:
            self._mean, self._spread = seconds, seconds / 2
            return
        error = seconds - self._mean
        self._spread += (abs(error) - self._spread) * SPREAD_SHARE
        self._mean += error * MEAN_SHARE
