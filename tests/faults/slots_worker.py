"""A worker on a clock that others move, in a process of its own: `… URL CLOCK DEATHS`.

DEATHS is how probably it kills itself at a random moment of a firing.
"""

from __future__ import annotations

import mmap
import os
import random
import signal
import struct
import sys
import threading
from pathlib import Path
from typing import Any

import leasehold as lh
from leasehold.store.postgres.store import PostgresStore
from leasehold.store.sqlite.store import SqliteStore
from leasehold.store.sqlite.times import Clock

POLL_SECONDS = 0.02
LONGEST_SECONDS = 0.004  # about as long as a firing takes


@lh.task(name="slots.note", max_attempts=1_000)
def note() -> None: ...


class SharedClock:
    """How many seconds the clock of all is ahead, in a file that all have mapped."""

    def __init__(self, file: Path) -> None:
        if not file.exists():
            file.write_bytes(bytes(8))
        with file.open("r+b") as opened:
            self._memory = mmap.mmap(opened.fileno(), 8)

    @property
    def seconds(self) -> float:
        found: float = struct.unpack("d", self._memory[:8])[0]
        return found

    def move(self, seconds: float) -> None:
        self._memory[:8] = struct.pack("d", self.seconds + seconds)


def follow(clock: SharedClock) -> None:
    """Let all stores of this process have that clock, whatever they are told."""
    skew: Any = property(lambda _: clock.seconds, lambda _, __: None)
    PostgresStore.skew_seconds = skew
    Clock.skew_seconds = skew


def be_mortal(deaths: float) -> None:
    """Die without a word at some moment before, amid or after a firing."""
    for store in (PostgresStore, SqliteStore):
        fire = store.fire

        def fire_or_die(self: Any, firing: Any, fire: Any = fire) -> bool:
            if random.random() < deaths:
                after = random.uniform(0, LONGEST_SECONDS)
                threading.Timer(after, os.kill, (os.getpid(), signal.SIGKILL)).start()
            fired: bool = fire(self, firing)
            return fired

        store.fire = fire_or_die  # type: ignore[method-assign] # on purpose


def main() -> None:
    url, file, deaths = sys.argv[1:]
    follow(SharedClock(Path(file)))
    be_mortal(float(deaths))
    lh.Worker(lh.Client(url), [note], slots=4, poll=POLL_SECONDS).run()


if __name__ == "__main__":
    main()
