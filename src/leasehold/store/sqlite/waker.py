"""Wakes an idle claimer: a poke from this process, or a write of any other.

Whoever writes the file writes its log; who enqueues through a client also rings, once the commit
can be seen. Most commits of a busy neighbour are of no interest to an idle worker, so there is an
allowance of wake-ups: a few at once, then so many a second. Finding work fills it up again.
"""

from __future__ import annotations

import select
import socket
import threading
import time
import weakref
from contextlib import suppress

from leasehold.store.base import ANY_QUEUE, Wake
from leasehold.store.sqlite.flock import ring
from leasehold.store.sqlite.inotify import FileWatch, open_watch
from leasehold.store.sqlite.location import Location

_WAKES_AT_ONCE = 10.0
_WAKES_PER_SECOND = 100.0


class SqliteWaker:
    """Used by one thread, poked by any."""

    def __init__(self, location: Location, queues: frozenset[str]) -> None:
        self.queues = queues | {ANY_QUEUE}
        # A socket pair, because select can't wait for anything else on Windows, and because a
        # signal handler may poke while its own thread is inside `wait`.
        self._ear, self._mouth = socket.socketpair()
        self._ear.settimeout(0)
        self._mouth.settimeout(0)
        self._watch: FileWatch | None = open_watch(location.wal, location.lock)
        self._allowance = _WAKES_AT_ONCE
        self._counted_at = time.monotonic()
        self._is_closed = False

    @property
    def is_polling_only(self) -> bool:
        return self._watch is None

    def wait(self, timeout_seconds: float) -> Wake | None:
        """Wait for a poke or a write, as the allowance goes."""
        deadline = time.monotonic() + timeout_seconds
        if not self._hear(deadline):
            return None  # a write that there was no allowance for is heard by the next wait
        # What came until now is answered by the look that follows.
        self._drain()
        self._allowance = max(0.0, self._allowance - 1)
        return Wake()

    def praise(self) -> None:
        """Work was found: what wakes this one is of interest to it."""
        self._allowance = _WAKES_AT_ONCE

    def poke(self) -> None:
        with suppress(OSError):  # full of pokes, or closed: nothing to wake
            self._mouth.send(b"!")

    def close(self) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        self._ear.close()
        self._mouth.close()
        if self._watch is not None:
            self._watch.close()

    def _hear(self, deadline: float) -> bool:
        while not self._is_closed:
            pause = self._seconds_to_allowed()
            seconds = max(0.0, deadline - time.monotonic())
            if pause > 0:
                is_woken = self._listen(None, min(pause, seconds))
            else:
                is_woken = self._listen(self._watch, seconds)
            if is_woken:
                return True
            if time.monotonic() >= deadline:
                return False
        return False

    def _seconds_to_allowed(self) -> float:
        now = time.monotonic()
        grown = self._allowance + (now - self._counted_at) * _WAKES_PER_SECOND
        self._allowance, self._counted_at = min(_WAKES_AT_ONCE, grown), now
        return max(0.0, 1 - self._allowance) / _WAKES_PER_SECOND

    def _listen(self, watch: FileWatch | None, seconds: float) -> bool:
        ears: list[socket.socket | FileWatch] = [self._ear]
        if watch is not None:
            ears.append(watch)
        heard, _, _ = select.select(ears, [], [], seconds)
        return self._ear in heard or (watch is not None and watch in heard and watch.was_heard())

    def _drain(self) -> None:
        if self._is_closed:
            return
        with suppress(BlockingIOError):
            while self._ear.recv(4096):
                pass
        if self._watch is not None:
            self._watch.was_heard()


class Wakers:
    """The wakers of one store in this process."""

    def __init__(self, location: Location) -> None:
        self._bell = location.lock
        self._lock = threading.Lock()
        self._wakers: weakref.WeakSet[SqliteWaker] = weakref.WeakSet()

    def add(self, waker: SqliteWaker) -> None:
        with self._lock:
            self._wakers.add(waker)

    def poke(self, queues: frozenset[str] | None = None) -> None:
        """Wake those who serve one of these queues; all of them for None."""
        with self._lock:
            for waker in self._wakers:
                if queues is None or waker.queues & queues:
                    waker.poke()

    def ring(self) -> None:
        """Wake those of other processes."""
        ring(self._bell)

    def praise(self) -> None:
        with self._lock:
            for waker in self._wakers:
                waker.praise()
