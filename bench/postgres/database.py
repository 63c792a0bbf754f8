"""One PostgreSQL database."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import IsolationLevel
from psycopg.types.json import Jsonb

from bench import probes
from bench.database import POSTGRES
from leasehold.store.sql import load as load_sql

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from bench.database import Load
    from tests.postgres_server import PostgresServer

PACKAGE = "bench.postgres"


class PostgresDatabase:
    """A fresh database on the suite's own server."""

    name = POSTGRES

    def __init__(self, server: PostgresServer, template: str) -> None:
        self._server = server
        self.url = server.create_database(template)
        self._connection = psycopg.connect(self.url, autocommit=True)
        # A plan made while a table was small must not walk over its dead rows later, every few ms.
        self._connection.execute("SET enable_seqscan = off")
        self._connection.execute("SET jit = off")

    def write_ready(self, load: Load) -> None:
        self._write(load, "write_ready", None)

    def write_scheduled(self, load: Load, run_at: datetime) -> None:
        self._write(load, "write_scheduled", run_at)

    def write_finished(self, load: Load) -> None:
        self._write(load, "write_finished", None)
        # Rows that ended long ago have been vacuumed long ago.
        self._connection.execute("VACUUM leasehold.job, leasehold.outcome")

    def settle_down(self) -> None:
        self._connection.execute("ANALYZE")
        self._connection.execute("CHECKPOINT")

    def job_at(self, place: int) -> str:
        return str(self._ask("job_at", place=place)[0][0])

    def is_standing(self, *job_ids: str) -> bool:
        return bool(self._ask("is_standing", job_ids=list(job_ids))[0][0])

    def is_any_due(self) -> bool:
        return bool(self._ask("is_any_due")[0][0])

    def count_standing(self) -> int:
        return int(self._ask("standing")[0][0])

    def count_outcomes(self) -> dict[str, int]:
        return dict(self._ask("outcomes"))

    def cpu_seconds(self) -> float:
        return probes.cpu_seconds(self._server.pid)

    def wal_bytes(self) -> int:
        row = self._connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'").fetchone()
        assert row is not None
        return int(row[0])

    @contextmanager
    def pinned(self) -> Iterator[None]:
        with psycopg.connect(self.url) as connection:
            connection.isolation_level = IsolationLevel.REPEATABLE_READ
            connection.execute("SELECT count(*) FROM leasehold.worker")
            yield
            connection.rollback()

    def insert_raw(self, rows: list[dict[str, object]]) -> float:
        statement = load_sql(PACKAGE, "raw_insert")
        prepared = [{**row, "args": Jsonb(row["args"])} for row in rows]
        started = time.perf_counter()
        for row in prepared:
            self._connection.execute(statement, row, prepare=True)
        return time.perf_counter() - started

    def connections_since(self, moment: datetime) -> int:
        """Count the workers' connections that have sent a statement since."""
        return int(self._ask("connections_since", since=moment)[0][0])

    def now(self) -> datetime:
        row = self._connection.execute("SELECT clock_timestamp()").fetchone()
        assert row is not None
        moment: datetime = row[0]
        return moment

    def drop(self) -> None:
        self._connection.close()
        self._server.drop_database(self.url)

    def _write(self, load: Load, into: str, run_at: datetime | None) -> None:
        parameters = {
            "count": load.count,
            "kind": load.kind,
            "queues": list(load.queues),
            "priority": load.priority,
            "priorities": load.priorities,
            "tenant": load.tenant,
            "run_at": run_at,
        }
        # Parameters put in here: PostgreSQL takes none in CREATE TABLE AS.
        with self._connection.transaction(), psycopg.ClientCursor(self._connection) as cursor:
            for name in ("new_jobs", "write_jobs", into):
                cursor.execute(load_sql(PACKAGE, name), parameters)

    def _ask(self, name: str, **parameters: object) -> list[Any]:
        return self._connection.execute(load_sql(PACKAGE, name), parameters).fetchall()
