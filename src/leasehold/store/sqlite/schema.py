"""The tables' version, and the numbered files that bring them up to date."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from leasehold.store.base import SchemaStatus
from leasehold.store.migrations import Migration, check_fit
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.times import Clock

_CREATE_VERSIONS = """
CREATE TABLE IF NOT EXISTS leasehold_migration (
  version     INTEGER NOT NULL PRIMARY KEY,
  name        TEXT    NOT NULL,
  serves_from INTEGER NOT NULL,
  applied_at  INTEGER NOT NULL
)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """How far the tables are."""

    version: int
    serves_from: int


def read_status(database: Database, known: Sequence[Migration]) -> SchemaStatus:
    with database.read(is_bare=True) as connection:
        version = _applied(connection).version
    pending = tuple(step.name for step in known if step.version > version)
    return SchemaStatus(version, known[-1].version, pending)


def migrate(database: Database, clock: Clock, known: Sequence[Migration]) -> tuple[str, ...]:
    """Run what is pending, in one transaction under the gate: the second to come finds it done."""
    with database.write(is_bare=True) as connection:
        return _migrate(connection, clock, known)


def install_if_new(database: Database, clock: Clock, known: Sequence[Migration]) -> None:
    """Make the tables in a file without any of ours, an application's too; older ones stay."""
    with database.read(is_bare=True) as connection:
        if _applied(connection).version > 0:
            return
    with database.write(is_bare=True) as connection:
        if _applied(connection).version == 0:
            _migrate(connection, clock, known)


def check(database: Database, known: Sequence[Migration]) -> None:
    """Raise `SchemaMismatch` unless the tables and this code fit."""
    with database.read() as connection:
        applied = _applied(connection)
    check_fit(
        version=applied.version,
        serves_from=applied.serves_from,
        code_version=known[-1].version,
    )


def split(sql: str) -> Iterator[str]:
    """Yield single statements; a trigger is one."""
    statement = ""
    for line in sql.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _migrate(
    connection: sqlite3.Connection, clock: Clock, known: Sequence[Migration]
) -> tuple[str, ...]:
    done = _applied(connection).version
    pending = [step for step in known if step.version > done]
    if pending:
        connection.execute(_CREATE_VERSIONS)
    for step in pending:
        for statement in split(step.sql):
            connection.execute(statement)
        connection.execute(
            "INSERT INTO leasehold_migration (version, name, serves_from, applied_at)"
            " VALUES (?, ?, ?, ?)",
            (step.version, step.name, step.serves_from, clock.now()),
        )
    return tuple(step.name for step in pending)


def _applied(connection: sqlite3.Connection) -> Applied:
    named = "SELECT 1 FROM sqlite_master WHERE name = 'leasehold_migration'"
    if connection.execute(named).fetchone() is None:
        return Applied(version=0, serves_from=0)
    version, serves_from = connection.execute(
        "SELECT coalesce(max(version), 0), coalesce(max(serves_from), 0) FROM leasehold_migration"
    ).fetchone()
    return Applied(version=version, serves_from=serves_from)
