"""Sync: a source of so many customers read whole, read again unchanged, and what a page costs."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING
from unittest.mock import patch
from uuid import UUID

import leasehold as lh
from bench import probes
from bench.fleet import BenchFailed
from leasehold.kit.data import Database as Tables
from leasehold.kit.data import close_databases, database_of
from leasehold_sync import apps, syncing
from leasehold_sync.connectors import Http, connector_named
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.model.apps import App
from leasehold_sync.servers import ServerProcess

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

_LOOK_SECONDS = 0.05
_MOST_SECONDS = 3600.0
_TURNS = 4
_APP = "shop"
_KEY = "SYNC_BENCH_KEY"
_LIVE = {"pending", "processing"}


def sync_customers(database: Database, size: Size) -> Figures:
    """Sync all customers, then again unchanged; beside it the same pages read and thrown away."""
    with _opened(database, size.jobs) as bench:
        pages = max(1, -(-size.jobs // 100))
        first = bench.sync()
        marks = bench.written()
        again = bench.sync()
        if bench.written() != marks:
            raise BenchFailed("an unchanged resync has written entities")
        reading = bench.read_only()
        return {
            "seconds": first.seconds,
            "customers_per_second": size.jobs / first.seconds,
            "unchanged_seconds": again.seconds,
            "unchanged_speedup": first.seconds / again.seconds,
            "reading_seconds": reading,
            "kept_ms_per_page": 1000 * (again.seconds - reading) / pages,
            "worker_cpu_seconds": first.cpu_seconds,
            "unchanged_cpu_seconds": again.cpu_seconds,
            "worker_peak_mb": again.peak_mb,
        }


def sync_beside_a_limit(database: Database, size: Size) -> Figures:
    """Sync an app alone, and beside another one whose source answers 429 to everything.

    By turns, and all of them added up: one of a second or two would say little.
    """
    alone = beside = 0.0
    with _opened(database, size.jobs) as bench, ServerProcess("stripe") as closed:
        bench.sync()
        closed.fail(429, times=1_000_000, retry_after=1)
        bench.add("closed", closed.url)
        for _ in range(_TURNS):
            alone += bench.sync().seconds
            other = bench.begin("closed")
            beside += bench.sync().seconds
            bench.cancel(other)
        return {
            "alone_seconds": alone,
            "beside_seconds": beside,
            "speed_beside": alone / beside,
            "refusals": closed.count(),
        }


class Passed:
    """One sync: how long, and what its worker used."""

    def __init__(self, seconds: float, cpu_seconds: float, peak_mb: float) -> None:
        self.seconds = seconds
        self.cpu_seconds = cpu_seconds
        self.peak_mb = peak_mb


class Bench:
    """A source, an app and a worker process."""

    def __init__(self, client: lh.Client, tables: Tables, worker_pid: int, rows: int) -> None:
        self._client = client
        self._tables = tables
        self._pid = worker_pid
        self._rows = rows

    def add(self, app_key: str, url: str) -> None:
        """Add an app whose source is there; sources of one kind take one key."""
        app = App(
            app_key=app_key,
            connector="stripe",
            credential=f"env:{_KEY}",
            base_url=url,
            resources=("customers",),
        )
        apps.save(self._client, self._tables, app)

    def begin(self, app_key: str) -> UUID:
        return syncing.start(self._client, self._tables, app_key, mode="full").job_id

    def cancel(self, job_id: UUID) -> None:
        syncing.cancel(self._client, self._tables, job_id)

    def sync(self) -> Passed:
        cpu = probes.cpu_seconds(self._pid)
        started = time.perf_counter()
        self._wait(self.begin(_APP), started)
        seconds = time.perf_counter() - started
        used = probes.cpu_seconds(self._pid) - cpu
        return Passed(seconds, used, probes.memory(self._pid).peak_mb)

    def _wait(self, job_id: UUID, started: float) -> None:
        while (job := syncing.status(self._client, self._tables, job_id))["status"] in _LIVE:
            if time.perf_counter() > started + _MOST_SECONDS:
                raise BenchFailed(f"the sync stands at {job}")
            time.sleep(_LOOK_SECONDS)
        if job["status"] != "completed" or job["processed_entities"] != self._rows:
            raise BenchFailed(f"the sync came to {job}")

    def read_only(self) -> float:
        """Read all pages with the same connector, and keep nothing."""
        app = apps.get(self._tables, _APP)
        config = apps.config_of(self._client, app)
        started = time.perf_counter()
        with Http() as http:
            connector = connector_named(app.connector)(http)
            cursor: str | None = None
            while True:
                page = connector.page(config, "customers", cursor, None, None)
                cursor = page.next_cursor
                if cursor is None:
                    return time.perf_counter() - started

    def written(self) -> tuple[object, ...]:
        """Something that changes with any row that is written."""
        with self._tables.read() as connection:
            sql = "SELECT count(*), max(updated_at), count(DISTINCT last_seen_run) FROM entities"
            return tuple(connection.exec_driver_sql(sql).one())


@contextmanager
def _opened(database: Database, rows: int) -> Iterator[Bench]:
    with ExitStack() as opened:
        server = opened.enter_context(ServerProcess("stripe", rows={"customers": rows}))
        opened.enter_context(patch.dict(os.environ, {_KEY: server.key}))
        client = opened.enter_context(lh.Client(database.url))
        opened.callback(close_databases)
        MIGRATIONS.migrate(client)
        process = opened.enter_context(_worker(database.url))
        bench = Bench(client, database_of(client.url), process.pid, rows)
        bench.add(_APP, server.url)
        yield bench


@contextmanager
def _worker(url: str) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-m", "bench.syncing_worker", url]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        if process.stdout.readline() != "ready\n":
            raise BenchFailed("the worker process died")
        yield process
    finally:
        process.terminate()
        process.communicate()
