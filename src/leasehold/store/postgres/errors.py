"""Turns psycopg's errors into leasehold's at the store's edge."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import UUID

import psycopg
from psycopg import errors as pg

from leasehold.errors import (
    BadValue,
    IdConflict,
    LeaseholdError,
    SchemaMismatch,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreRefused,
    StoreUnavailable,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

ID_CONFLICT = "LH001"
LEASE_LOST = "LH002"

_BUSY = (
    pg.LockNotAvailable,
    pg.DeadlockDetected,
    pg.SerializationFailure,
    pg.QueryCanceled,
)
_MISSING = (pg.UndefinedTable, pg.InvalidSchemaName, pg.UndefinedFunction, pg.UndefinedColumn)
_NOT_MIGRATED = "the leasehold tables are missing or too old: run `leasehold migrate`"


def translate(error: psycopg.Error) -> LeaseholdError:
    """Return the leasehold error that says the same."""
    if error.sqlstate == ID_CONFLICT:
        return IdConflict(UUID(text) for text in json.loads(error.diag.message_primary or "[]"))
    said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    match error:
        case pg.DiskFull():
            return StoreFull(f"PostgreSQL has no space left: {said}")
        case pg.InsufficientPrivilege() | pg.InvalidPassword() | pg.InvalidCatalogName():
            return StoreRefused(f"PostgreSQL refuses: {said}")
        case _ if isinstance(error, _BUSY):
            return StoreBusy(f"PostgreSQL: {said}")
        case _ if isinstance(error, _MISSING):
            return SchemaMismatch(f"{_NOT_MIGRATED} ({said})")
        case psycopg.DataError():
            return BadValue(f"PostgreSQL can't store this: {said}")
        case psycopg.OperationalError() | psycopg.InterfaceError() | pg.FeatureNotSupported():
            # FeatureNotSupported: a prepared plan outlived a migration; a new connection helps.
            return StoreUnavailable(f"PostgreSQL can't be reached: {said}")
        case _:
            return StoreError(f"PostgreSQL: {said}")


@contextmanager
def translating() -> Iterator[None]:
    """Run a block whose psycopg errors become leasehold's."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error) from error
