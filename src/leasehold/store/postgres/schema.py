"""Brings the schema up to date. The version table is the lock; there are no advisory locks."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from psycopg import errors as pg

from leasehold.store.base import SchemaStatus
from leasehold.store.migrations import check_fit, load_migrations
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.store.migrations import Migration
    from leasehold.store.postgres.connection import Connection

PACKAGE = "leasehold.store.postgres"
T = TypeVar("T")

_VERSION_TABLE = """
CREATE SCHEMA IF NOT EXISTS leasehold;
CREATE TABLE IF NOT EXISTS leasehold.migration (
  version     integer     NOT NULL PRIMARY KEY,
  name        text        NOT NULL,
  serves_from integer     NOT NULL,
  applied_at  timestamptz NOT NULL DEFAULT now()
)
"""
_READ_VERSION = """
SELECT coalesce(max(version), 0), coalesce(max(serves_from), 0)
FROM leasehold.migration
"""
# Readers pass this lock, a second migration does not.
_TAKE_TURNS = "LOCK TABLE leasehold.migration IN SHARE ROW EXCLUSIVE MODE"
_RECORD = "INSERT INTO leasehold.migration (version, name, serves_from) VALUES (%s, %s, %s)"

# A statement that waits for a lock makes everybody behind it wait too: give up soon, try again.
_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'"
_TRIES_SECONDS = 120.0
_PAUSE_SECONDS = 0.2


def read_version(connection: Connection) -> tuple[int, int]:
    """Return the version of the tables and the oldest code they serve; zeros without tables."""
    try:
        row = connection.execute(_READ_VERSION, prepare=False).fetchone()
    except (pg.UndefinedTable, pg.InvalidSchemaName):
        return 0, 0
    return (0, 0) if row is None else (row[0], row[1])


def status(connection: Connection) -> SchemaStatus:
    version, _ = read_version(connection)
    known = load_migrations(PACKAGE)
    pending = tuple(step.name for step in known if step.version > version)
    return SchemaStatus(version, known[-1].version, pending)


def check(connection: Connection) -> None:
    version, serves_from = read_version(connection)
    code_version = load_migrations(PACKAGE)[-1].version
    check_fit(version=version, serves_from=serves_from, code_version=code_version)


def migrate(connection: Connection) -> tuple[str, ...]:
    """Apply what is missing, each step in a transaction of its own; names what was run.

    Who finds nothing missing needs no right to change anything.
    """
    persist(partial(_prepare, connection))
    version, _ = read_version(connection)
    missing = [step for step in load_migrations(PACKAGE) if step.version > version]
    return tuple(step.name for step in missing if persist(partial(_apply, connection, step)))


def as_owner(connection: Connection) -> None:
    """Act, in this transaction, as the owner of the tables, where roles were set up."""
    connection.execute(load(PACKAGE, "as_owner").encode(), prepare=False)


def _prepare(connection: Connection) -> bool:
    if read_version(connection) == (0, 0):
        connection.execute(_VERSION_TABLE, prepare=False)
    return True


def _apply(connection: Connection, step: Migration) -> bool:
    with connection.transaction():
        connection.execute(_LOCK_TIMEOUT, prepare=False)
        as_owner(connection)
        connection.execute(_TAKE_TURNS, prepare=False)
        version, _ = read_version(connection)
        if version >= step.version:
            return False
        connection.execute(step.sql.encode(), prepare=False)
        connection.execute(_RECORD, (step.version, step.name, step.serves_from), prepare=False)
    return True


def persist(action: Callable[[], T]) -> T:
    """Run until it goes through: somebody else may be migrating, or using the tables."""
    deadline = time.monotonic() + _TRIES_SECONDS
    while True:
        try:
            return action()
        except (
            pg.LockNotAvailable,
            pg.DeadlockDetected,
            pg.UniqueViolation,
            pg.DuplicateSchema,
            pg.DuplicateTable,
            pg.DuplicateObject,
        ):
            if time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_SECONDS)
