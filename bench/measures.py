"""What is measured, each on a fresh database."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import leasehold as lh
from bench.tasks import BY_KIND, STARTS_VARIABLE, Starts, noop

if TYPE_CHECKING:
    from collections.abc import Iterator

Figures = dict[str, float]

WARM_UP_JOBS = 20
PICK_UP_JOBS = 200
PICK_UP_PAUSE_SECONDS = 0.05


def bulk_enqueue(url: str, jobs: int) -> Figures:
    """`client.enqueue_many` of small jobs, in chunks of a thousand."""
    with lh.Client(url) as client:
        client.store.check_schema()
        started = time.perf_counter()
        load(client, jobs)
        return {"jobs_per_second": jobs / (time.perf_counter() - started)}


def single_enqueue(url: str, jobs: int) -> Figures:
    """`client.enqueue`, one after the other, each durable when it returns."""
    count = min(jobs, 2_000)
    with lh.Client(url) as client:
        client.enqueue(noop, 0, "user000000@example.com", "hello")
        started = time.perf_counter()
        for number in range(count):
            client.enqueue(noop, number, f"user{number:06}@example.com", "hello")
        return {"jobs_per_second": count / (time.perf_counter() - started)}


def drain(url: str, jobs: int, *, kind: str = "async") -> Figures:
    """One worker process from its start until every one of the waiting jobs is settled."""
    with lh.Client(url) as client:
        load(client, jobs, kind=kind)
        wal = wal_position(url)
        with worker_process(url, kind, "drain") as process:
            output, _ = process.communicate("go\n")
        done = json.loads(output.splitlines()[-1])
        if done["succeeded"] != jobs or client.counts():
            message = f"{done['succeeded']} of {jobs} jobs succeeded, left: {client.counts()}"
            raise RuntimeError(message)
        return {
            "jobs_per_second": jobs / done["seconds"],
            "worker_cpu_us_per_job": done["cpu_seconds"] / jobs * 1e6,
            "worker_memory_mb": done["memory_mb"],
            **(
                {}
                if wal is None
                else {"wal_bytes_per_job": (wal_position(url) or 0) / jobs - wal / jobs}
            ),
        }


def pick_up(url: str, _jobs: int) -> Figures:
    """From the return of `enqueue` to the handler's start, in an idle worker process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "starts"
        count = WARM_UP_JOBS + PICK_UP_JOBS
        starts = Starts(path, count)
        with (
            lh.Client(url) as client,
            worker_process(url, "async", "serve", {STARTS_VARIABLE: str(path)}) as process,
        ):
            _tell(process, "go\n")
            sent = [_enqueue_paced(client, number) for number in range(count)]
            _await_last(starts, count - 1)
            process.send_signal(signal.SIGTERM)
            process.communicate()
        waits = sorted(starts.read(n) - sent[n] for n in range(WARM_UP_JOBS, count))
        return {
            "p50_ms": statistics.median(waits) * 1000,
            "p99_ms": waits[int(len(waits) * 0.99) - 1] * 1000,
        }


def load(client: lh.Client, jobs: int, *, kind: str = "async") -> None:
    task = BY_KIND[kind]
    client.enqueue_many(
        task.call(number, f"user{number:06}@example.com", "hello") for number in range(jobs)
    )


def wal_position(url: str) -> int | None:
    """How many bytes of WAL PostgreSQL has written; None on SQLite."""
    if not url.startswith("postgresql"):
        return None
    import psycopg

    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
        return None if row is None else int(row[0])


@contextmanager
def worker_process(
    url: str, kind: str, mode: str, environment: dict[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """Start a worker and wait until it has imported and connected."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.work", url, kind, mode],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **(environment or {})},
    )
    try:
        if process.stdout is None or process.stdout.readline() != "ready\n":
            message = "the worker process did not come up"
            raise RuntimeError(message)
        yield process
    finally:
        process.kill()
        process.wait()


def _tell(process: subprocess.Popen[str], line: str) -> None:
    if process.stdin is not None:
        process.stdin.write(line)
        process.stdin.flush()


def _enqueue_paced(client: lh.Client, number: int) -> float:
    time.sleep(PICK_UP_PAUSE_SECONDS)
    client.enqueue(noop, number, f"user{number:06}@example.com", "hello")
    return time.time()


def _await_last(starts: Starts, number: int) -> None:
    deadline = time.monotonic() + 10
    while starts.read(number) == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
