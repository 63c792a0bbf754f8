"""Wakes an idle claimer: a poke from this process, or the log being written by any other."""

from __future__ import annotations

import select
import socket
import threading
import time
import weakref
from contextlib import suppress
from pathlib import Path

from leasehold.store.base import ANY_QUEUE
from leasehold.store.sqlite.inotify import FolderWatch, open_watch
from leasehold.store.sqlite.location import Location

# Every commit of a busy neighbour writes the log, and most are of no interest to an idle worker.
_CALM_SECONDS = 0.010


class SqliteWaker:
    """Used by one thread, poked by any."""

    def __init__(self, location: Location, queues: frozenset[str]) -> None:
        self.queues = queues | {ANY_QUEUE}
        # A socket pair, because select can't wait for anything else on Windows, and because a
        # signal handler may poke while its own thread is inside `wait`.
        self._ear, self._mouth = socket.socketpair()
        self._ear.settimeout(0)
        self._mouth.settimeout(0)
        self._watch: FolderWatch | None = open_watch(location.folder, Path(location.wal).name)
        self._calm_until = 0.0
        self._is_closed = False

    @property
    def is_polling_only(self) -> bool:
        return self._watch is None

    def wait(self, timeout_seconds: float) -> bool:
        """Wait for a poke or a write; writes close upon one another come as one."""
        deadline = time.monotonic() + timeout_seconds
        is_woken = self._hear(deadline)
        # What came until now is answered by the look that follows.
        self._drain()
        if is_woken:
            self._calm_until = time.monotonic() + _CALM_SECONDS
        return is_woken

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
            now = time.monotonic()
            is_calm = now >= self._calm_until
            end = deadline if is_calm else min(deadline, self._calm_until)
            if self._listen(self._watch if is_calm else None, max(0.0, end - now)):
                return True
            if time.monotonic() >= deadline:
                return False
        return False

    def _listen(self, watch: FolderWatch | None, seconds: float) -> bool:
        ears: list[socket.socket | FolderWatch] = [self._ear]
        if watch is not None:
            ears.append(watch)
        heard, _, _ = select.select(ears, [], [], seconds)
        return self._ear in heard or (watch is not None and watch in heard and watch.was_written())

    def _drain(self) -> None:
        if self._is_closed:
            return
        with suppress(BlockingIOError):
            while self._ear.recv(4096):
                pass
        if self._watch is not None:
            self._watch.was_written()


class Wakers:
    """The wakers of one store in this process."""

    def __init__(self) -> None:
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
