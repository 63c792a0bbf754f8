"""Fresh job ids: UUIDv7 that grow with each one, so that jobs of one batch keep their order."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from leasehold.model.ids import uuid7_at, uuid7s_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import JobId

_RANDOM_BYTES = 8


class IdSource:
    """Makes ids from the clock and the system's randomness. Safe in threads and across a fork.

    A clock that stands or steps back counts on from the last id, so that each id is greater than
    the one before.
    """

    def __init__(
        self,
        *,
        clock_ns: Callable[[], int] = time.time_ns,
        random: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._clock_ns = clock_ns
        self._random = random
        self._lock = threading.Lock()
        self._ticks = 0
        self._process = os.getpid()

    def next(self) -> JobId:
        """Return an id that is greater than all that this source returned before."""
        return uuid7_at(self._advance(1), int.from_bytes(self._random(_RANDOM_BYTES), "big"))

    def take(self, count: int) -> list[JobId]:
        """Return so many ids at one look at the clock, each greater than the one before."""
        return uuid7s_at(self._advance(count), self._random(count * _RANDOM_BYTES))

    def _advance(self, count: int) -> int:
        # A child must not wait for a lock that a thread of its parent held at the fork.
        if self._process != os.getpid():
            self._lock, self._process = threading.Lock(), os.getpid()
        with self._lock:
            first = max((self._clock_ns() << 12) // 1_000_000, self._ticks + 1)
            self._ticks = first + count - 1
        return first
