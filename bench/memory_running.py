"""Memory: how soon `run.py` answers after its start, and what it costs while nobody talks."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import leasehold_memory
from bench.fleet import BenchFailed
from bench.probes import cpu_seconds, memory

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

_RUN = Path(leasehold_memory.__file__).parents[2] / "run.py"
_SETTLED_SECONDS = 3.0  # after which everything that a start brings is over


def start_and_idle(_database: Database, size: Size) -> Figures:
    """Start it so often, the first time in a new home; then let it be for so many seconds."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        starts = []
        for _ in range(max(2, size.jobs)):
            with _served(home) as served:
                starts.append(served)
        with _served(home) as served:
            time.sleep(min(_SETTLED_SECONDS, size.seconds))
            share = _busy_share(served.pid, max(1.0, size.seconds))
            resident = memory(served.pid).now_mb
    return {
        "new_home_seconds": starts[0].seconds,
        "start_seconds": median(each.seconds for each in starts[1:]),
        "start_cpu_seconds": median(each.cpu_seconds for each in starts[1:]),
        "idle_cpu_percent": 100 * share,
        "resident_mb": resident,
    }


class _Served(NamedTuple):
    """It runs, and took so long until it answered."""

    pid: int
    seconds: float
    cpu_seconds: float


@contextmanager
def _served(home: Path) -> Iterator[_Served]:
    words = ["--home", str(home), "--port", "0", "--json", "--log-level", "error"]
    began = time.perf_counter()
    command = [sys.executable, str(_RUN), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            if not line or "address" not in json.loads(line):
                raise BenchFailed("run.py has ended before it answered")
            yield _Served(process.pid, time.perf_counter() - began, cpu_seconds(process.pid))
        finally:
            process.terminate()


def _busy_share(pid: int, seconds: float) -> float:
    cpu, started = cpu_seconds(pid), time.perf_counter()
    time.sleep(seconds)
    return (cpu_seconds(pid) - cpu) / (time.perf_counter() - started)
