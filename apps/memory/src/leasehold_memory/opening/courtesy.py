"""Who chats comes first: jobs of the same process wait a moment while first words are on their way.

They share one interpreter, which runs one thread at a time, and one file, which one may write at a
time. So jobs read and write one after the other, and the one that is at it rests, too, between two
statements: else a reply would take turns with it until its end.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import leasehold as lh

MOST_SECONDS = 0.1  # that a job waits: a model that thinks for long holds nobody up


class Courtesy:
    """Between those who chat and the jobs of one memory. Safe to share between threads."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._hurried = 0
        self._needing = 0  # those of them who wait for the file
        self._one = threading.RLock()

    @property
    def is_hurried(self) -> bool:
        return self._hurried > 0

    @contextmanager
    def hurrying(self) -> Iterator[None]:
        """Let jobs wait until the end of the `with`."""
        with self._changed:
            self._hurried += 1
        try:
            yield
        finally:
            with self._changed:
                self._hurried -= 1
                self._changed.notify_all()

    def hurry(self) -> ExitStack:
        """Let jobs wait from now until it is closed, which is safe twice."""
        waiting = ExitStack()
        waiting.enter_context(self.hurrying())
        return waiting

    @contextmanager
    def first(self) -> Iterator[None]:
        """Work on the file before all jobs that wait; after the one that works, if any."""
        with self.hurrying():
            with self._needing_the_file():
                self._one.acquire()
            try:
                yield
            finally:
                self._one.release()

    @contextmanager
    def working(self) -> Iterator[Callable[[], None]]:
        """Let no other job work on the file meanwhile. No model is asked in the `with`.

        Yields what gives way in between, to be called between two statements. What the worker tells
        the job strikes at the end: in between, the turn might be lost.
        """
        with lh.shielded():
            self._take_turn(time.monotonic() + MOST_SECONDS)
            try:
                yield partial(self._rest, time.monotonic() + MOST_SECONDS)
            finally:
                self._one.release()

    def give_way(self) -> None:
        """Wait while somebody is in a hurry, and never for long."""
        self._wait(time.monotonic() + MOST_SECONDS)

    def _take_turn(self, until: float) -> None:
        """Wait as `give_way` does, and not with the file in hand: who hurries may need it."""
        while True:
            self._wait(until)
            self._one.acquire()
            if not self._hurried or time.monotonic() >= until:
                return
            self._one.release()

    def _wait(self, until: float) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._hurried, until - time.monotonic())

    def _rest(self, until: float) -> None:
        """Wait with the file in hand, unless it is just that for which somebody waits."""
        if not self._hurried:  # as nearly always
            return
        with self._changed:
            self._changed.wait_for(
                lambda: not self._hurried or self._needing, until - time.monotonic()
            )

    @contextmanager
    def _needing_the_file(self) -> Iterator[None]:
        with self._changed:
            self._needing += 1
            self._changed.notify_all()
        try:
            yield
        finally:
            with self._changed:
                self._needing -= 1
