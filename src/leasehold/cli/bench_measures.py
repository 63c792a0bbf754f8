"""What `leasehold bench` measures, in a database that is its own."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.cli.bench_scratch import holding_back_endings, sqlite_path
from leasehold.cli.bench_worker import BY_KIND, Seen, do_nothing, note_start
from leasehold.client import URL_VARIABLE, Client
from leasehold.errors import LeaseholdError
from leasehold.store import SQLITE, read_backend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Process = subprocess.Popen[str]

COMMITS = 100
MOST_SINGLE_JOBS = 2_000
SINGLE_SECONDS = 5.0  # on a slow disk fewer jobs must do
WARM_UP_JOBS = 10
PICK_UP_JOBS = range(20, 201)
# Shorter, and on SQLite the worker would still be calming down after its own last write.
PICK_UP_PAUSE_SECONDS = 0.05
LOOK_SECONDS = 0.05
STILL_SECONDS = 30.0

_ENDED_EARLY = "a worker process of the bench ended too early"
_decode_seen = msgspec.json.Decoder(Seen).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Rates are jobs a second; pick-up is from enqueue's return to the handler's start."""

    commit_ms: float
    single_enqueue_per_second: float
    bulk_enqueue_per_second: float
    drain_async_per_second: float
    drain_blocking_per_second: float
    pick_up_p50_ms: float
    pick_up_p99_ms: float


def measure(url: str, *, jobs: int, processes: int, tell: Callable[[str], None]) -> Figures:
    """Measure one thing after the other, telling which it is."""
    with Client(url) as client:
        client.store.migrate()
        tell("one durable commit")
        commit_ms = _commit_ms(url)
        tell("single enqueue")
        single_jobs, single_rate = _enqueue_singly(client, jobs)
        tell("bulk enqueue")
        bulk_rate = _enqueue_in_bulk(client, "async", jobs)
        tell("drain, async handlers")
        async_rate = _drain(client, "async", single_jobs + jobs, processes)
        tell("drain, blocking handlers")
        _enqueue_in_bulk(client, "blocking", jobs)
        blocking_rate = _drain(client, "blocking", jobs, processes)
        tell("pick-up by an idle worker")
        waits = _pick_up_ms(client, jobs)
    return Figures(
        commit_ms=commit_ms,
        single_enqueue_per_second=single_rate,
        bulk_enqueue_per_second=bulk_rate,
        drain_async_per_second=async_rate,
        drain_blocking_per_second=blocking_rate,
        pick_up_p50_ms=statistics.median(waits),
        pick_up_p99_ms=statistics.quantiles(waits, n=100, method="inclusive")[-1],
    )


def _commit_ms(url: str) -> float:
    """Take the median of tiny commits on a bare connection: nothing durable can be faster."""
    with closing(_connect(url)) as connection:
        connection.execute("CREATE TABLE leasehold_bench_commit (number INTEGER)")
        spans = []
        for _ in range(COMMITS):
            started = time.perf_counter()
            connection.execute("INSERT INTO leasehold_bench_commit VALUES (1)")
            spans.append(time.perf_counter() - started)
        connection.execute("DROP TABLE leasehold_bench_commit")
    return statistics.median(spans) * 1000


def _connect(url: str) -> Any:
    """Open a connection of the driver's own, as durable as the store's, in autocommit mode."""
    if read_backend(url) != SQLITE:
        import psycopg

        return psycopg.connect(url, autocommit=True)
    import sqlite3

    connection = sqlite3.connect(sqlite_path(url), isolation_level=None)
    for pragma in ("synchronous = FULL", "fullfsync = ON", "wal_autocheckpoint = 0"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _enqueue_singly(client: Client, jobs: int) -> tuple[int, float]:
    """Return how many jobs it made, and the rate."""
    count = 0
    started = time.perf_counter()
    while count < min(jobs, MOST_SINGLE_JOBS) and time.perf_counter() < started + SINGLE_SECONDS:
        client.enqueue(do_nothing, count)
        count += 1
    return count, count / (time.perf_counter() - started)


def _enqueue_in_bulk(client: Client, kind: str, jobs: int) -> float:
    task = BY_KIND[kind]
    started = time.perf_counter()
    client.enqueue_many(task.call(number) for number in range(jobs))
    return jobs / (time.perf_counter() - started)


def _drain(client: Client, kind: str, jobs: int, processes: int) -> float:
    """Count from the moment at which all workers may start to the last job's settlement."""
    with _worker_processes(client, kind, processes) as workers:
        started = time.perf_counter()
        _let_start(workers)
        _await_empty(client, workers)
        seen = _end(workers)
    if sum(each.succeeded for each in seen) != jobs:
        raise LeaseholdError(f"not all of {jobs} jobs succeeded: {seen}")
    return jobs / (max(each.last_settled_at for each in seen) - started)


def _pick_up_ms(client: Client, jobs: int) -> list[float]:
    count = min(max(jobs // 50, PICK_UP_JOBS.start), PICK_UP_JOBS[-1])
    with _worker_processes(client, "start", 1) as workers:
        _let_start(workers)
        for number in range(-WARM_UP_JOBS, 0):
            _enqueue_after_pause(client, number)
        _await_empty(client, workers)
        sent = [_enqueue_after_pause(client, number) for number in range(count)]
        _await_empty(client, workers)
        (seen,) = _end(workers)
    return [(seen.starts[number] - sent[number]) * 1000 for number in range(count)]


def _enqueue_after_pause(client: Client, number: int) -> float:
    time.sleep(PICK_UP_PAUSE_SECONDS)
    client.enqueue(note_start, number)
    return time.perf_counter()


@contextmanager
def _worker_processes(client: Client, kind: str, count: int) -> Iterator[list[Process]]:
    """Start processes and wait until all of them have connected."""
    with ExitStack() as stack:
        workers = []
        for _ in range(count):
            with holding_back_endings():
                workers.append(_start_process(client.store.url, kind))
                stack.callback(_kill, workers[-1])
        for worker in workers:
            _read_line(worker)
        yield workers


def _start_process(url: str, kind: str) -> Process:
    return subprocess.Popen(  # noqa: S603 - our own module  # nosec B603
        # -P: a queue.py in the folder where it is run must not pass for the standard library's.
        [sys.executable, "-P", "-m", "leasehold.cli.bench_worker", kind],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {URL_VARIABLE: url},
        start_new_session=True,  # Ctrl-C is for the bench alone: it ends its workers
    )


def _kill(worker: Process) -> None:
    with worker:  # closes its pipes and waits for its end
        worker.kill()


def _let_start(workers: Sequence[Process]) -> None:
    for worker in workers:
        if worker.stdin is not None:
            worker.stdin.write("go\n")
            worker.stdin.flush()


def _await_empty(client: Client, workers: Sequence[Process]) -> None:
    before, changed_at = None, time.monotonic()
    while counts := client.counts():
        if counts != before:
            before, changed_at = counts, time.monotonic()
        if time.monotonic() > changed_at + STILL_SECONDS:
            raise LeaseholdError(f"for {STILL_SECONDS:g} s no job was settled: {counts}")
        if any(worker.poll() is not None for worker in workers):
            raise LeaseholdError(_ENDED_EARLY)
        time.sleep(LOOK_SECONDS)


def _end(workers: Sequence[Process]) -> list[Seen]:
    for worker in workers:
        if worker.stdin is not None:
            worker.stdin.close()
    return [_decode_seen(_read_line(worker)) for worker in workers]


def _read_line(worker: Process) -> str:
    line = "" if worker.stdout is None else worker.stdout.readline()
    if not line:
        raise LeaseholdError(_ENDED_EARLY)
    return line
