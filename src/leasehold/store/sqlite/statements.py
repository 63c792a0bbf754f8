"""Runs the statements in `sql/`, named after the operation."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from leasehold.errors import BadValue
from leasehold.store.sql import load

_PACKAGE = "leasehold.store.sqlite"
_encode = msgspec.json.Encoder().encode


def text(name: str) -> str:
    return load(_PACKAGE, name)


def rows(connection: sqlite3.Connection, name: str, /, **parameters: Any) -> list[tuple[Any, ...]]:
    """Run a statement to its end and return all its rows."""
    return connection.execute(text(name), parameters).fetchall()


def value(connection: sqlite3.Connection, name: str, /, **parameters: Any) -> Any:
    """Return the first column of the first row, None when there is none."""
    found = rows(connection, name, **parameters)
    return found[0][0] if found else None


def count(connection: sqlite3.Connection, name: str, /, **parameters: Any) -> int:
    """Run a change and return how many rows it changed."""
    return connection.execute(text(name), parameters).rowcount


def as_json(batch: Sequence[Any] | Mapping[Any, Any] | msgspec.Struct) -> str:
    """Encode a batch as the one JSON text that a statement reads with json_each."""
    try:
        return _encode(batch).decode()
    except UnicodeEncodeError as error:
        raise BadValue(f"a text can't be stored: {error}") from error


def refuse_nul(batch: str, texts: Callable[[], Iterable[str | None]]) -> None:
    """Raise `BadValue` for a NUL: SQLite's JSON would cut the text off there without a word."""
    # Only the encoded batch is searched as a rule: once, and quickly.
    if "\\u0000" in batch and any(text and "\0" in text for text in texts()):
        raise BadValue("a text can't be stored: it contains a NUL character")
