"""Who chats comes first: jobs of the same process wait a moment while first words are on their way.

They share one interpreter, which runs one thread at a time, and one file, which one may write at a
time. So jobs read and write one after the other, and a reply meets one of them at most.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import leasehold as lh

MOST_SECONDS = 0.1  # that a job waits: a model that thinks for long holds nobody up


class Courtesy:
    """Between those who chat and the jobs of one memory. Safe to share between threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hurried = 0
        self._is_free = threading.Event()
        self._is_free.set()
        self._one = threading.RLock()

    @property
    def is_hurried(self) -> bool:
        return not self._is_free.is_set()

    @contextmanager
    def hurrying(self) -> Iterator[None]:
        """Let jobs wait until the end of the `with`."""
        with self._lock:
            self._hurried += 1
            self._is_free.clear()
        try:
            yield
        finally:
            with self._lock:
                self._hurried -= 1
                if not self._hurried:
                    self._is_free.set()

    @contextmanager
    def first(self) -> Iterator[None]:
        """Work on the file before all jobs that wait; after the one that works, if any."""
        with self.hurrying(), self._one:
            yield

    @contextmanager
    def working(self) -> Iterator[None]:
        """Let no other job work on the file meanwhile. No model is asked in the `with`.

        What the worker tells the job strikes at the end: in between, the turn might be lost.
        """
        with lh.shielded():
            self._take_turn(time.monotonic() + MOST_SECONDS)
            try:
                yield
            finally:
                self._one.release()

    def give_way(self) -> None:
        """Wait while somebody is in a hurry, and never for long."""
        self._is_free.wait(MOST_SECONDS)

    def _take_turn(self, until: float) -> None:
        """Wait as `give_way` does, and not with the file in hand: who hurries may need it."""
        while True:
            self._is_free.wait(max(0.0, until - time.monotonic()))
            self._one.acquire()
            if self._is_free.is_set() or time.monotonic() >= until:
                return
            self._one.release()
