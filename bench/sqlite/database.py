"""One SQLite file."""

from __future__ import annotations

import json
import shutil
import sqlite3
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.database import SQLITE
from leasehold.store import open_store
from leasehold.store.sql import load as load_sql
from leasehold.store.sqlite.times import from_datetime

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from bench.database import Load

PACKAGE = "bench.sqlite"
CHUNK = 100_000  # rows to a transaction while preloading: bounds the log


class SqliteDatabase:
    """A fresh file in a folder of its own."""

    name = SQLITE

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._path = folder / "queue.db"
        self.url = f"sqlite:///{self._path}"
        store = open_store(self.url)
        store.migrate()
        store.close()
        self._reader = self._connect()

    def write_ready(self, load: Load) -> None:
        with self._loader() as connection:
            self._write(connection, load, None)

    def write_scheduled(self, load: Load, run_at: datetime) -> None:
        with self._loader() as connection:
            self._write(connection, load, from_datetime(run_at))

    def write_finished(self, load: Load) -> None:
        with self._loader() as connection, _without_triggers(connection):
            self._write(connection, load, None)
            connection.execute(load_sql(PACKAGE, "write_finished"))

    def settle_down(self) -> None:
        with self._loader() as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def job_at(self, place: int) -> str:
        return str(self._ask("job_at", place=place)[0][0])

    def is_standing(self, *job_ids: str) -> bool:
        return bool(self._ask("is_standing", job_ids=json.dumps(job_ids))[0][0])

    def is_any_due(self) -> bool:
        return bool(self._ask("is_any_due")[0][0])

    def count_standing(self) -> int:
        return int(self._ask("standing")[0][0])

    def count_outcomes(self) -> dict[str, int]:
        return dict(self._ask("outcomes"))

    def cpu_seconds(self) -> None:
        return None  # its CPU is the workers'

    def wal_bytes(self) -> None:
        return None  # its log starts anew with each checkpoint

    @contextmanager
    def pinned(self) -> Iterator[None]:
        with closing(self._connect()) as connection:
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM leasehold_worker").fetchone()
            yield
            connection.execute("ROLLBACK")

    def insert_raw(self, rows: list[dict[str, object]]) -> float:
        statement = load_sql(PACKAGE, "raw_insert")
        prepared = [{**row, "id": str(row["id"]), "args": json.dumps(row["args"])} for row in rows]
        with closing(self._connect()) as connection:
            connection.execute("PRAGMA synchronous = FULL")
            started = time.perf_counter()
            for row in prepared:
                connection.execute(statement, {**row, "now": time.time_ns() // 1000})
            return time.perf_counter() - started

    def drop(self) -> None:
        self._reader.close()
        shutil.rmtree(self._folder)

    def _write(self, connection: sqlite3.Connection, load: Load, run_at: int | None) -> None:
        parameters = {
            "now": time.time_ns() // 1000,
            "count": load.count,
            "kind": load.kind,
            "queues": json.dumps(load.queues),
            "priority": load.priority,
            "priorities": load.priorities,
            "tenant": load.tenant,
            "run_at": run_at,
        }
        for first in range(0, load.count, CHUNK):
            part = {"first": first, "last": min(first + CHUNK, load.count)}
            connection.execute(load_sql(PACKAGE, "write_jobs"), {**parameters, **part})

    def _ask(self, name: str, **parameters: object) -> list[Any]:
        return self._reader.execute(load_sql(PACKAGE, name), parameters).fetchall()

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, isolation_level=None)

    @contextmanager
    def _loader(self) -> Iterator[sqlite3.Connection]:
        """A connection that need not survive a power cut; alone on the file."""
        with closing(self._connect()) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            yield connection


@contextmanager
def _without_triggers(connection: sqlite3.Connection) -> Iterator[None]:
    """Write jobs that become neither ready nor scheduled."""
    triggers = connection.execute(load_sql(PACKAGE, "triggers")).fetchall()
    for name, _sql in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    yield
    for _name, sql in triggers:
        connection.execute(sql)
