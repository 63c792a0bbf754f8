"""What the operating system says about processes, read from /proc."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

_TICKS = os.sysconf("SC_CLK_TCK")
# Places in /proc/<pid>/stat, counted from the state that follows the command's closing bracket.
_PARENT, _FIRST_TIME, _LAST_TIME = 1, 11, 14


class Memory(NamedTuple):
    """Resident memory of one process in MB: the most it ever had, and what it has now."""

    peak_mb: float
    now_mb: float


def cpu_seconds(root: int) -> float:
    """CPU time of a process, its living descendants, and those of them that were reaped."""
    states = {pid: state for pid in _pids() if (state := _read_state(pid))}
    return sum(
        sum(map(int, states[pid][_FIRST_TIME : _LAST_TIME + 1])) / _TICKS
        for pid in _family(root, {pid: int(state[_PARENT]) for pid, state in states.items()})
        if pid in states
    )


def memory(pid: int) -> Memory:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    kilobytes = {
        name: int(value.split()[0])
        for name, _, value in (line.partition(":") for line in lines)
        if name in {"VmHWM", "VmRSS"}
    }
    return Memory(peak_mb=kilobytes["VmHWM"] / 1024, now_mb=kilobytes["VmRSS"] / 1024)


def _family(root: int, parents: dict[int, int]) -> set[int]:
    """Name the process and all that descend from it."""
    family: set[int] = set()
    fresh = {root}
    while fresh:
        family |= fresh
        fresh = {pid for pid, parent in parents.items() if parent in fresh} - family
    return family


def _pids() -> list[int]:
    return [int(path.name) for path in Path("/proc").glob("[0-9]*")]


def _read_state(pid: int) -> list[str]:
    """Return what follows the command, which may hold blanks and brackets; none once it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
