"""Turns sqlite3's errors into leasehold's at the store's edge."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from leasehold.errors import (
    BadValue,
    LeaseholdError,
    SchemaMismatch,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreMoved,
    StoreRefused,
    StoreUnavailable,
)

_BUSY_SNAPSHOT = 517  # SQLITE_BUSY_SNAPSHOT, and the next two: extended codes Python 3.11 lacks
_SHM_SIZE = 4874
_SHM_OPEN = 4618
_NO_TABLES = ("no such table", "no such column", "has no column named")

_SNAPSHOT = (
    "this transaction has read before another one wrote, so SQLite can't let it write any more. "
    "Start it with BEGIN IMMEDIATE (Django: OPTIONS transaction_mode IMMEDIATE; SQLAlchemy: an "
    "event on begin), or enqueue before the first SELECT; then roll back and try again"
)
_BUSY = (
    "another connection kept the write lock for too long; keep write transactions short (and begin "
    "them with BEGIN IMMEDIATE), then try again"
)
_UNWRITABLE = ": the file and its folder must be writable for this user"
_FULL = ": nothing was written; make room and try again"

# By extended code, else by primary code.
_MEANINGS: Mapping[int, tuple[type[LeaseholdError], str]] = {
    _SHM_SIZE: (StoreFull, _FULL),
    _SHM_OPEN: (StoreFull, _FULL),
    sqlite3.SQLITE_FULL: (StoreFull, _FULL),
    sqlite3.SQLITE_BUSY: (StoreBusy, f": {_BUSY}"),
    sqlite3.SQLITE_LOCKED: (StoreBusy, f": {_BUSY}"),
    sqlite3.SQLITE_INTERRUPT: (StoreBusy, ""),
    sqlite3.SQLITE_READONLY: (StoreRefused, _UNWRITABLE),
    sqlite3.SQLITE_PERM: (StoreRefused, _UNWRITABLE),
    sqlite3.SQLITE_CANTOPEN: (StoreRefused, _UNWRITABLE),
    sqlite3.SQLITE_NOTADB: (StoreRefused, ": this file is something else"),
    sqlite3.SQLITE_CORRUPT: (StoreRefused, ": restore the file from a backup"),
    sqlite3.SQLITE_IOERR: (StoreUnavailable, ": look at the disk and at the system's log"),
    sqlite3.SQLITE_TOOBIG: (BadValue, ""),
    sqlite3.SQLITE_MISMATCH: (BadValue, ""),
    sqlite3.SQLITE_CONSTRAINT_CHECK: (BadValue, ""),
}


def translate(error: BaseException) -> BaseException:
    """Return the leasehold error that says the same; `error` itself if it is none of SQLite's.

    Wrappers (SQLAlchemy's, Django's) are looked into.
    """
    inner = _unwrap(error)
    if inner is None:
        return error
    code = getattr(inner, "sqlite_errorcode", None)
    if code is None:
        return StoreError(f"SQLite: {inner}")
    return _by_code(inner, code)


@contextmanager
def translating() -> Iterator[None]:
    """Run a block whose sqlite3 errors become leasehold's."""
    try:
        yield
    except sqlite3.Error as error:
        raise translate(error) from error


def _unwrap(error: BaseException | None) -> sqlite3.Error | None:
    while error is not None:
        if isinstance(error, sqlite3.Error):
            return error
        error = getattr(error, "orig", None) or error.__cause__
    return None


def _by_code(error: sqlite3.Error, code: int) -> LeaseholdError:
    said = str(error)
    if code == _BUSY_SNAPSHOT:
        return StoreBusy(_SNAPSHOT)
    if any(text in said for text in _NO_TABLES):
        return SchemaMismatch(
            f"the leasehold tables are missing or too old: run `leasehold migrate` ({said})"
        )
    if code == sqlite3.SQLITE_CONSTRAINT_TRIGGER:  # only a closed database has such ones
        return StoreMoved(said)
    if "malformed JSON" in said:
        return BadValue("a job's arguments or its result are not JSON")
    kind, advice = _MEANINGS.get(code) or _MEANINGS.get(code & 0xFF, (StoreError, ""))
    return kind(f"SQLite: {said}{advice}")
