"""Which errors mean that a row can't be stored, now and ever; all others may pass by themselves."""

from __future__ import annotations

import sqlite3
from functools import lru_cache

from leasehold.errors import BadValue

_VALUES = (BadValue, OverflowError, UnicodeError)
_SQLITE = (sqlite3.IntegrityError, sqlite3.DataError)


@lru_cache(maxsize=1)
def refusals() -> tuple[type[Exception], ...]:
    """Name the errors by which a database, or the queue, refuses what it was given."""
    try:
        import psycopg
    except ImportError:  # an application on SQLite alone
        return (*_VALUES, *_SQLITE)
    too_large = psycopg.errors.ProgramLimitExceeded  # more than an index takes
    return (*_VALUES, *_SQLITE, psycopg.IntegrityError, psycopg.DataError, too_large)
