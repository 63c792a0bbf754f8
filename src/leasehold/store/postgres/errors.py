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
    BatchNotFound,
    BatchSealed,
    IdConflict,
    KeyHeld,
    LeaseholdError,
    PlainArguments,
    QuotaBusy,
    SchemaMismatch,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreMoved,
    StoreRefused,
    StoreUnavailable,
)
from leasehold.store.scripts import read_quota_exceeded
from leasehold.store.shown_url import hide_secrets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ID_CONFLICT = "LH001"
LEASE_LOST = "LH002"
NOT_READ_COMMITTED = "LH003"
KEY_HELD = "LH004"
BATCH_REFUSES = "LH005"
PLAIN = "LH006"
QUOTA_EXCEEDED = "LH007"
QUOTA_BUSY = "LH008"
MOVED = "LH009"
NOT_OWN = "LH010"

_TRANSLATIONS: tuple[tuple[tuple[type[psycopg.Error], ...], type[LeaseholdError], str], ...] = (
    ((pg.DiskFull,), StoreFull, "PostgreSQL has no space left"),
    (
        (pg.InsufficientPrivilege, pg.InvalidPassword, pg.InvalidCatalogName),
        StoreRefused,
        "PostgreSQL refuses",
    ),
    (
        (pg.LockNotAvailable, pg.DeadlockDetected, pg.SerializationFailure, pg.QueryCanceled),
        StoreBusy,
        "PostgreSQL",
    ),
    (
        (pg.UndefinedTable, pg.InvalidSchemaName, pg.UndefinedFunction, pg.UndefinedColumn),
        SchemaMismatch,
        "the leasehold tables are missing or too old, run `leasehold migrate`",
    ),
    ((psycopg.DataError,), BadValue, "PostgreSQL can't store this"),
    # FeatureNotSupported: a prepared plan outlived a migration; a new connection helps.
    (
        (psycopg.OperationalError, psycopg.InterfaceError, pg.FeatureNotSupported),
        StoreUnavailable,
        "PostgreSQL can't be reached",
    ),
)


def translate(error: psycopg.Error) -> LeaseholdError:
    """Return the leasehold error that says the same."""
    own = _OWN.get(error.sqlstate or "")
    if own is not None:
        return own(error.diag.message_primary or "")
    said = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    for kinds, translated, opening in _TRANSLATIONS:
        if isinstance(error, kinds):
            return translated(f"{opening}: {said}")
    return StoreError(f"PostgreSQL: {said}")


def _id_conflict(message: str) -> LeaseholdError:
    return IdConflict(UUID(text) for text in json.loads(message or "[]"))


def _key_held(message: str) -> LeaseholdError:
    said = json.loads(message)
    job_id = None if said["job"] is None else UUID(said["job"])
    return KeyHeld(job_id, said["key"], UUID(said["holder"]))


def _batch_refuses(message: str) -> LeaseholdError:
    said = json.loads(message)
    batch_id, status = UUID(said["batch"]), said["status"]
    return BatchNotFound(batch_id) if status is None else BatchSealed(batch_id, status)


def _plain_arguments(message: str) -> LeaseholdError:
    return PlainArguments(message.partition("'")[2].partition("' are encrypted")[0])


def _not_read_committed(_message: str) -> LeaseholdError:
    return StoreRefused(
        "claims from lanes and ends of batches need READ COMMITTED: set "
        "default_transaction_isolation for this role"
    )


# What our own functions raise, by their SQLSTATE.
_OWN: dict[str, Callable[[str], LeaseholdError]] = {
    ID_CONFLICT: _id_conflict,
    KEY_HELD: _key_held,
    BATCH_REFUSES: _batch_refuses,
    NOT_READ_COMMITTED: _not_read_committed,
    PLAIN: _plain_arguments,
    QUOTA_EXCEEDED: read_quota_exceeded,
    QUOTA_BUSY: QuotaBusy,
    MOVED: StoreMoved,
    NOT_OWN: StoreRefused,
}


@contextmanager
def translating(url: str = "") -> Iterator[None]:
    """Run a block whose psycopg errors become leasehold's; one that opens `url` hides its password.

    The driver's own words may hold a part of it: then they do not come along.
    """
    try:
        yield
    except psycopg.Error as error:
        translated = translate(error)
        if not url or hide_secrets(str(error), url) == str(error):
            raise translated from error
        raise type(translated)(hide_secrets(str(translated), url)) from None
