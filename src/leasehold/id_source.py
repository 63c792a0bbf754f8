"""Fresh job ids: UUIDv7 that grow with each call, so that jobs of one batch keep their order."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from leasehold.model.ids import uuid7

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import JobId

_BLOCK = 256
_RANDOM_BYTES = 8


class IdSource:
    """Makes ids from the clock and the system's randomness. Safe in threads and across a fork.

    The twelve bits below the millisecond are its fraction (RFC 9562, method 3), and a clock that
    stands or steps back counts on from the last id, so that each id is greater than the one before.
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
        self._block, self._used, self._ticks = b"", 0, 0
        self._process = 0

    def next(self) -> JobId:
        """Return an id that is greater than all that this source returned before."""
        # A child must not repeat its parent's random bytes, nor wait for a lock that a thread
        # of the parent held in the moment of the fork.
        if self._process != os.getpid():
            self._start_afresh()
        with self._lock:
            ticks = max((self._clock_ns() << 12) // 1_000_000, self._ticks + 1)
            self._ticks = ticks
            if self._used == len(self._block):
                self._block, self._used = self._random(_BLOCK * _RANDOM_BYTES), 0
            chance = self._block[self._used : self._used + _RANDOM_BYTES]
            self._used += _RANDOM_BYTES
        return uuid7(ticks >> 12, ((ticks & 0xFFF) << 4).to_bytes(2, "big") + chance)

    def _start_afresh(self) -> None:
        self._lock = threading.Lock()
        self._block, self._used, self._ticks = b"", 0, 0
        self._process = os.getpid()
