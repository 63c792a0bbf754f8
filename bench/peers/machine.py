"""The machine that is measured on: how busy it is, what a process has used."""

from __future__ import annotations

import os
import time
from pathlib import Path

QUIET_CORES = 0.2
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def wait_until_quiet(seconds: float) -> None:
    """Wait until other programs leave the machine alone, but not for longer than this."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        busy, started = busy_seconds(), time.monotonic()
        time.sleep(0.4)
        if busy_seconds() - busy < QUIET_CORES * (time.monotonic() - started):
            return


def busy_seconds() -> float:
    """CPU seconds that all cores together have worked since the machine was started."""
    user, nice, system, _idle, _waiting, *others = (
        int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:]
    )
    return (user + nice + system + sum(others)) / TICKS_PER_SECOND


def cpu_seconds(process: int) -> float:
    """CPU seconds of a process and of those of its children that have ended."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(int(word) for word in words[11:15]) / TICKS_PER_SECOND
