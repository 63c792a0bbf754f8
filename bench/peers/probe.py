"""A small file in shared memory, through which handlers count and the driver says go.

bytes 0..7     go (u64): 0 is wait, 1 is go
bytes 8..15    the last slot that was given away (u64), under flock
64 * slot      [handler runs u64][is ready u64]; node/common.js takes slots from 200 on
65536..        one float64 per job: when its handler started, for W5

Imported in every peer's environment: the standard library only.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import threading
import time
from pathlib import Path

PATH_VARIABLE = "BENCH_PROBE"
NOTES_STARTS_VARIABLE = "BENCH_NOTES_STARTS"

SLOTS = 256
WORDS_PER_SLOT = 8
STARTS_WORD = 65_536 // 8
MOST_STARTS = 65_536
BYTES = (STARTS_WORD + MOST_STARTS) * 8


class Probe:
    """A worker's side. Attaches at its first use in a process, so it survives a fork."""

    def __init__(self) -> None:
        self._notes_starts = os.environ.get(NOTES_STARTS_VARIABLE) == "1"
        self._process = 0

    def hit(self, number: int) -> None:
        """Count one run of a handler; called first thing in it."""
        if self._process != os.getpid():
            self._attach()
        if self._notes_starts:
            self._stamps[STARTS_WORD + number] = time.time()
        with self._lock:
            self._words[self._slot] += 1

    def await_go(self) -> None:
        """Tell the driver that only the worker's own start is left to do, and wait for its go."""
        self._attach()
        self._words[self._slot + 1] = 1
        while self._words[0] == 0:
            time.sleep(0.0005)

    def _attach(self) -> None:
        with Path(os.environ[PATH_VARIABLE]).open("r+b") as file:
            view = memoryview(mmap.mmap(file.fileno(), BYTES))
            self._words, self._stamps = view.cast("Q"), view.cast("d")
            fcntl.flock(file, fcntl.LOCK_EX)
            self._words[1] += 1
            self._slot = self._words[1] * WORDS_PER_SLOT
            # By hand: the map keeps the file open, and with it the lock.
            fcntl.flock(file, fcntl.LOCK_UN)
        self._lock = threading.Lock()
        self._process = os.getpid()


class ProbeReader:
    """The driver's side: makes the file, says go, reads what the workers wrote."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.write_bytes(bytes(BYTES))
        with path.open("r+b") as file:
            view = memoryview(mmap.mmap(file.fileno(), BYTES))
        self._words, self._stamps = view.cast("Q"), view.cast("d")

    def go(self) -> None:
        self._words[0] = 1

    def handler_runs(self) -> int:
        return sum(self._words[WORDS_PER_SLOT : SLOTS * WORDS_PER_SLOT : WORDS_PER_SLOT])

    def ready_workers(self) -> int:
        return sum(self._words[WORDS_PER_SLOT + 1 : SLOTS * WORDS_PER_SLOT : WORDS_PER_SLOT])

    def starts(self, jobs: int) -> list[float]:
        """When each handler started; 0 for those that did not."""
        return [float(self._stamps[STARTS_WORD + number]) for number in range(jobs)]


PROBE = Probe()
