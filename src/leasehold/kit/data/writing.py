"""Writes that both databases know under one name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy.dialects import postgresql, sqlite

if TYPE_CHECKING:
    from sqlalchemy import Connection, Table

_INSERTS: dict[str, Any] = {"postgresql": postgresql.insert, "sqlite": sqlite.insert}


def insert_new(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> int:
    """Insert what is not there yet; returns how many that were."""
    statement = _INSERTS[connection.dialect.name](table).on_conflict_do_nothing()
    first_of_key = next(iter(table.primary_key))
    # Not by the driver's count of rows: of many statements in one it knows only the last one's.
    return len(connection.execute(statement.returning(first_of_key), rows).all())


def upsert(
    connection: Connection,
    table: Table,
    row: Mapping[str, Any],
    *,
    key: Sequence[str],
    keep: Sequence[str] = (),
) -> None:
    """Insert a row, or change the one that has its key; what is to `keep` stays as it was."""
    statement = _INSERTS[connection.dialect.name](table).values(**row)
    changed = {name: statement.excluded[name] for name in row if name not in (*key, *keep)}
    connection.execute(statement.on_conflict_do_update(index_elements=key, set_=changed))
