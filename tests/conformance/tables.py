"""Reads the raw tables of either store, by their short names, on a connection of its own."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from typing import TYPE_CHECKING, Any, Protocol

import psycopg
from psycopg.rows import dict_row

if TYPE_CHECKING:
    from collections.abc import Iterator

# A job stands in exactly one of the live ones, or in none when it has ended.
LIVE = ("ready", "waiting", "scheduled", "parked", "lease")
JOB_TABLES = ("job", *LIVE, "outcome")
LANE_TABLES = ("throttle", "bucket", "charge", "share", "queue")
TOGETHER_TABLES = ("batch", "callback", "dependent", "dependency")
SAVING_TABLES = ("checkpoint", "step")
ALL_TABLES = (
    *(*JOB_TABLES, *LANE_TABLES, *TOGETHER_TABLES, *SAVING_TABLES),
    *("key", "task", "worker", "schedule", "retention", "duty", "statistic", "depth"),
    *("alert", "alert_mute", "token", "session", "audit", "credential", "quota"),
)

Row = dict[str, Any]


# The audit record lets nothing go but what it says was pruned.
_PRUNED = (
    "INSERT INTO {}audit"
    " (at, actor, via, address, tenant, action, subject, count, detail, pruned_to)"
    " VALUES ({}, '', '', '', '', '', '', 0, '{{}}', 9223372036854775807)"
)
# How long nobody has worked counts from when the tables were made: for this test that is now.
_YOUNG = (
    "UPDATE {0}migration SET applied_at = {1}"
    " WHERE version = (SELECT max(version) FROM {0}migration)"
)
_EMPTIED = "DELETE FROM {}audit WHERE coalesce(pruned_to, 0) < 9223372036854775807"


class Tables(Protocol):
    """A second pair of eyes on the database: sees what is committed, and nothing else."""

    def rows(self, name: str) -> list[Row]:
        """Return the whole table, in an order that only depends on its rows."""

    def view(self) -> list[Row]:
        """Return the people's view, oldest id first."""

    def execute(self, statement: str) -> list[Row]:
        """Run a statement of a test's own and commit it."""

    def empty(self) -> None:
        """Delete every row of every table, as if they had been made just now."""

    def close(self) -> None: ...


class PostgresTables:
    """Schema `leasehold`."""

    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url, autocommit=True, row_factory=dict_row)

    def rows(self, name: str) -> list[Row]:
        return _sorted(self.execute("SELECT * FROM leasehold." + name))  # noqa: S608 - our names

    def view(self) -> list[Row]:
        return self.execute("SELECT * FROM leasehold.jobs ORDER BY id")

    def execute(self, statement: str) -> list[Row]:
        cursor = self._connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []

    def empty(self) -> None:
        # DELETE, because TRUNCATE makes new files: 20 times slower on tables this small. In one
        # packet, so in one transaction, which need not wait for the disk.
        statements = [
            "SELECT set_config('synchronous_commit', 'off', true)",
            _PRUNED.format("leasehold.", "now()"),
            _EMPTIED.format("leasehold."),
            _YOUNG.format("leasehold.", "now()"),
            *("DELETE FROM leasehold." + name for name in ALL_TABLES),  # noqa: S608 - our names
        ]
        self._connection.execute(";".join(statements).encode())

    def close(self) -> None:
        self._connection.close()


class SqliteTables:
    """Prefix `leasehold_`."""

    def __init__(self, url: str) -> None:
        self._connection = sqlite3.connect(
            url.removeprefix("sqlite:///"), isolation_level=None, timeout=30
        )
        self._connection.execute("PRAGMA wal_autocheckpoint = 0").close()
        self._connection.row_factory = sqlite3.Row

    def rows(self, name: str) -> list[Row]:
        return _sorted(self.execute("SELECT * FROM leasehold_" + name))  # noqa: S608 - our names

    def view(self) -> list[Row]:
        return self.execute("SELECT * FROM leasehold_jobs ORDER BY id")

    def execute(self, statement: str) -> list[Row]:
        with contextlib.closing(self._connection.execute(statement)) as cursor:
            return [dict(row) for row in cursor]

    def empty(self) -> None:
        self.execute("BEGIN IMMEDIATE")
        self.execute(_PRUNED.format("leasehold_", "0"))
        self.execute(_EMPTIED.format("leasehold_"))
        self.execute(_YOUNG.format("leasehold_", time.time_ns() // 1_000))
        for name in ALL_TABLES:
            self.execute("DELETE FROM leasehold_" + name)  # noqa: S608 - our names
        self.execute("COMMIT")

    def close(self) -> None:
        self._connection.close()


@contextlib.contextmanager
def open_tables(url: str) -> Iterator[Tables]:
    """Open the raw tables behind a store's URL."""
    tables: Tables = SqliteTables(url) if url.startswith("sqlite:") else PostgresTables(url)
    with contextlib.closing(tables):
        yield tables


def snapshot(tables: Tables) -> dict[str, list[Row]]:
    """Return all that is known of jobs: equal snapshots mean that nothing was changed."""
    return {name: tables.rows(name) for name in JOB_TABLES}


def places(tables: Tables, job_id: object) -> list[str]:
    """Name the live tables in which the job stands."""
    return [name for name in LIVE for row in tables.rows(name) if str(row["job_id"]) == str(job_id)]


def _sorted(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: [str(value) for value in row.values()])
