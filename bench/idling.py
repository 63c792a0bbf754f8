"""What many idle workers cost the database, and how many of them one job wakes."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

import leasehold as lh
from bench.crew import Crew
from bench.fleet import Fleet
from bench.tasks import noop

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size
    from bench.postgres.database import PostgresDatabase

PROCESSES = 4
WINDOW_SECONDS = 0.1


def idle_workers(database: Database, size: Size) -> Figures:
    """`size.jobs` workers, embedded in a few processes: each has its threads and connections.

    A connection counts as woken by a job when it has sent a statement within 100 ms of its enqueue,
    by pg_stat_activity: exact at once, where the counters of pg_stat_database lag by seconds. Some
    poll in such a window without any job; their number is given beside it.
    """
    from bench.postgres.database import PostgresDatabase

    assert isinstance(database, PostgresDatabase)
    workers = max(2, size.jobs // PROCESSES)
    crew = Crew(kinds=(noop.name,), processes=PROCESSES, workers=workers)
    with Fleet(database.url, crew) as fleet:
        fleet.release()
        fleet.await_started()
        time.sleep(size.seconds / 10)
        busy = _busy_share(database, max(0.5, size.seconds))
        looks = range(max(2, round(size.seconds / 2)))
        unwoken = statistics.median(_count_active(database) for _ in looks)
        # Another name than the workers', so that the enqueue itself does not count.
        with lh.Client(f"{database.url}?application_name=bench") as client:
            client.store.check_schema()
            woken = statistics.median(_count_active(database, client) for _ in looks)
        fleet.stop()
    return {
        "workers": PROCESSES * workers,
        "database_cpu_percent": busy * 100,
        "connections_active_without_a_job": unwoken,
        "connections_active_after_a_job": woken,
    }


def _busy_share(database: PostgresDatabase, seconds: float) -> float:
    cpu, started = database.cpu_seconds(), time.perf_counter()
    time.sleep(seconds)
    return (database.cpu_seconds() - cpu) / (time.perf_counter() - started)


def _count_active(database: PostgresDatabase, client: lh.Client | None = None) -> int:
    time.sleep(2 * WINDOW_SECONDS)  # out of the last one's sight
    since = database.now()
    if client is not None:
        client.enqueue(noop, 0, "user000000@example.com", "hello")
    time.sleep(WINDOW_SECONDS)
    return database.connections_since(since)
