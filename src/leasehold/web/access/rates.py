"""How often somebody may ask: buckets of turns, refilled by time."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MOST_BUCKETS = 10_000


class Rates:
    """One bucket for each name. The longest unused are forgotten: they are full again anyway."""

    def __init__(
        self, per_second: float, burst: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, amount: float = 1.0) -> float:
        """Take a turn; returns 0, or how many seconds to wait for one."""
        left = self._left(name)
        if left < amount:
            return (amount - left) / self._per_second
        self._keep(name, left - amount)
        return 0.0

    def give_back(self, name: str, amount: float = 1.0) -> None:
        """Have a turn not counted that was taken."""
        self._keep(name, min(self._burst, self._left(name) + amount))

    def _left(self, name: str) -> float:
        left, at = self._buckets.get(name, (self._burst, 0.0))
        return min(self._burst, left + (self._clock() - at) * self._per_second)

    def _keep(self, name: str, left: float) -> None:
        self._buckets[name] = (left, self._clock())
        self._buckets.move_to_end(name)
        while len(self._buckets) > MOST_BUCKETS:
            self._buckets.popitem(last=False)
