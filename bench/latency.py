"""Pick-up latency: from the return of `enqueue` to the handler's start, by the same clock."""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from bench.crew import Crew
from bench.fleet import BenchFailed, Fleet
from bench.tasks import STARTS_VARIABLE, Stamps, noop

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

LAST_SECONDS = 30.0  # for the last job to be picked up
WARM_UP_SHARE = 5  # a fifth as many jobs go before those that are measured
IDLE_PACE = 20  # jobs a second: each finds the workers idle
BUSY_PACE = 1_000


def pick_up(database: Database, size: Size, *, workers: int, per_second: int) -> Figures:
    """Enqueue at a constant pace from a process of its own, beside waiting worker processes."""
    first = max(1, size.jobs // WARM_UP_SHARE)
    count = first + size.jobs
    with tempfile.TemporaryDirectory() as folder:
        starts_path, sent_path = Path(folder) / "starts", Path(folder) / "sent"
        starts, sent = Stamps(starts_path, count), Stamps(sent_path, count)
        crew = Crew(kinds=(noop.name,), processes=workers)
        with Fleet(database.url, crew, {STARTS_VARIABLE: str(starts_path)}) as fleet:
            fleet.release()
            enqueue_paced(database.url, sent_path, count, per_second)
            fleet.wait_until(
                lambda: all(starts.read(number) for number in range(count)),
                look_seconds=0.02,
                most_seconds=LAST_SECONDS,
            )
            fleet.stop()
        waits = sorted(starts.read(n) - sent.read(n) for n in range(first, count))
        seconds = sent.read(count - 1) - sent.read(first - 1)
    return {
        "p50_ms": percentile(waits, 0.5) * 1000,
        "p99_ms": percentile(waits, 0.99) * 1000,
        "enqueued_per_second": size.jobs / seconds,
    }


def enqueue_paced(url: str, sent_path: Path, count: int, per_second: int) -> None:
    command = [sys.executable, "-m", "bench.pace", url, str(sent_path), str(count), str(per_second)]
    if subprocess.run(command, check=False).returncode != 0:
        raise BenchFailed("the enqueuing process failed")


def percentile(ordered: list[float], share: float) -> float:
    """Return the least value that so great a share of them does not exceed."""
    return ordered[max(0, math.ceil(len(ordered) * share) - 1)]
