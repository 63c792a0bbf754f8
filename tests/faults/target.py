"""The database a campaign is run against: opened, prepared, crashed, and watched."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import psycopg

from leasehold.store import open_store
from tests.conformance.tables import Tables, open_tables
from tests.faults.tasks import EFFECT_TABLE
from tests.postgres_binaries import find_binaries
from tests.postgres_server import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_ENDED = "WHERE state IN ('succeeded', 'dead', 'cancelled')"


@dataclass(slots=True)
class Target:
    """A prepared, empty queue with an effect table. Without a server it can't be crashed."""

    store: str
    url: str
    server: PostgresServer | None = None
    _tables: Tables | None = None
    _opened: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    def crash(self) -> None:
        """Kill the whole server and start it again; returns when it has recovered."""
        assert self.server is not None, "a file can't crash"
        self.server.crash()
        self.server.start()

    def name(self, table: str) -> str:
        return f"leasehold_{table}" if self.store == "sqlite" else f"leasehold.{table}"

    def count_ended(self) -> int:
        """Count the jobs that have ended, as far as their outcomes say."""
        table = self.name("outcome")
        return int(self.query(f"SELECT count(*) AS count FROM {table} {_ENDED}")[0]["count"])  # noqa: S608

    def count_live(self) -> int:
        """Count the jobs that wait or run."""
        tables = map(self.name, ("ready", "scheduled", "waiting", "parked", "lease"))
        parts = " + ".join(f"(SELECT count(*) FROM {table})" for table in tables)  # noqa: S608
        return int(self.query(f"SELECT {parts} AS count")[0]["count"])

    def count_leases(self) -> dict[str, int]:
        """Count the leases of each worker that has any."""
        rows = self.query(
            f"SELECT name, count(*) AS count FROM {self.name('worker')} AS worker"  # noqa: S608
            f" JOIN {self.name('lease')} AS lease ON lease.worker = worker.id GROUP BY name"
        )
        return {row["name"]: row["count"] for row in rows}

    def overtaken_workers(self) -> set[str]:
        """Name the workers whose lapsed jobs are just being run by others."""
        rows = self.query(
            f"SELECT DISTINCT name FROM {self.name('outcome')} AS outcome"  # noqa: S608
            f" JOIN {self.name('lease')} AS lease ON lease.job_id = outcome.job_id"
            f" JOIN {self.name('worker')} AS worker ON worker.id = outcome.worker"
            " WHERE outcome.state = 'lapsed' AND lease.worker <> outcome.worker"
        )
        return {row["name"] for row in rows}

    def close(self) -> None:
        self._opened.close()
        self._tables = None

    def query(self, sql: str) -> list[dict[str, Any]]:
        """Run a statement, on a new connection if the server fell since the last one."""
        for _ in range(2):
            try:
                return self._open().execute(sql)
            except psycopg.OperationalError:
                self.close()  # it has been crashed since
        return self._open().execute(sql)

    def _open(self) -> Tables:
        if self._tables is None:
            self._tables = self._opened.enter_context(open_tables(self.url))
        return self._tables


def prepare(url: str) -> None:
    """Make the tables, leasehold's and the effects'."""
    with contextlib.closing(open_store(url)) as store:
        store.migrate()
    make_effect_table(url)


def make_effect_table(url: str) -> None:
    with open_tables(url) as tables:
        tables.execute(EFFECT_TABLE)


@contextlib.contextmanager
def postgres_target() -> Iterator[Target]:
    """A server of its own, because it will be crashed."""
    with PostgresServer(binaries=find_binaries()) as server:
        url = server.create_database()
        prepare(url)
        target = Target("postgres", url, server)
        with contextlib.closing(target):
            yield target


@contextlib.contextmanager
def sqlite_target(folder: Path) -> Iterator[Target]:
    url = f"sqlite:///{folder / 'leasehold.db'}"
    prepare(url)
    with contextlib.closing(Target("sqlite", url)) as target:
        yield target
