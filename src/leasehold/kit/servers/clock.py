"""The time of a local server."""

from __future__ import annotations

import time


class Clock:
    """The real time, which tests may move on."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        return time.time() + self._ahead

    def advance(self, seconds: float) -> None:
        self._ahead += seconds
