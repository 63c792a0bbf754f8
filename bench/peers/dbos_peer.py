"""DBOS on PostgreSQL, durable workflows used as a queue: 100 at a time, polling every 20 ms."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from dbos import DBOS

from bench.peers.job import URL, WORKER, Stopwatch, pace, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("dbos", "psycopg", "sqlalchemy")
CONCURRENCY = 100
POLL_SECONDS = 0.02
ENQUEUING_THREADS = 10


@DBOS.workflow()
def noop(n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


def launch(*, listens: bool) -> Any:
    """Start DBOS; returns its queue."""
    DBOS(
        config={
            "name": "bench",
            "system_database_url": URL,
            "log_level": "CRITICAL",
            "run_admin_server": False,
            "sys_db_pool_size": 20,
            "application_version": "1",
            "executor_id": f"worker-{WORKER}" if listens else "client",
        }
    )
    if not listens:
        DBOS.listen_queues([])
    DBOS.launch()
    return DBOS.register_queue(
        "bench", worker_concurrency=CONCURRENCY, polling_interval_sec=POLL_SECONDS
    )


@contextmanager
def client() -> Iterator[Any]:
    yield launch(listens=False)
    DBOS.destroy()


def prepare() -> None:
    with client():
        pass


def enqueue_each(jobs: int) -> float:
    with client() as queue:
        queue.enqueue(noop, **payload(0))
        with Stopwatch() as watch:
            for number in range(jobs):
                queue.enqueue(noop, **payload(number))
    return watch.seconds


def enqueue_bulk(jobs: int, _size: int) -> float:
    """No batch API: enqueued by threads."""
    with client() as queue, ThreadPoolExecutor(ENQUEUING_THREADS) as threads, Stopwatch() as watch:
        list(threads.map(lambda number: queue.enqueue(noop, **payload(number)), range(jobs)))
    return watch.seconds


def pick_up(jobs: int) -> list[float]:
    with client() as queue:
        return pace(jobs, lambda number: queue.enqueue(noop, **payload(number)))


def work(_prompt: int) -> None:
    PROBE.await_go()
    launch(listens=True)
    while True:
        time.sleep(1)
