"""A row in every table that has tenants' rows, whatever tables there will be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from psycopg.sql import SQL, Identifier
from sqlalchemy import CheckConstraint

from leasehold_documents.data.tables import metadata

if TYPE_CHECKING:
    import psycopg

_COLUMNS = """
SELECT column_name, udt_name
FROM information_schema.columns
WHERE table_name = %s
  AND (is_nullable = 'NO' AND column_default IS NULL OR column_name IN ('id', 'tenant_id'))
  AND is_identity = 'NO'
  AND is_generated = 'NEVER'
"""
# What a column's type does not say: the first word that a constraint allows.
_ALLOWED = re.compile(r"^(\w+) IN \('(\w+)'")
_VALUES: dict[str, Any] = {
    "text": "x",
    "int4": 0,
    "int8": 0,
    "int2": 0,
    "float8": 0.5,
    "bool": False,
    "timestamptz": "2026-01-01T00:00:00Z",
    "jsonb": "{}",
    "tsvector": "'x'",
}


def tenant_tables() -> list[str]:
    """Name the tables that have tenants' rows, those that others refer to first."""
    return [each.name for each in metadata.sorted_tables if "tenant_id" in each.columns]


def fill(sql: psycopg.Connection[Any], tenant_id: UUID, user_id: UUID) -> dict[str, UUID]:
    """Add a row of a tenant to each of its tables; returns the ids, by table."""
    known = {"organizations": tenant_id, "users": user_id}
    for table in tenant_tables():
        if table == "memberships":
            continue
        columns = sql.execute(_COLUMNS, [table])
        row = {name: _value(table, name, kind, known) for name, kind in columns}
        names = SQL(", ").join(map(Identifier, row))
        marks = SQL(", ").join(SQL("%s") for _ in row)
        statement = SQL("INSERT INTO {} ({}) VALUES ({})")
        sql.execute(statement.format(Identifier(table), names, marks), list(row.values()))
        if "id" in row:
            known[table] = row["id"]
    return known


def _value(table: str, name: str, kind: str, known: dict[str, UUID]) -> Any:
    column = metadata.tables[table].columns.get(name)
    for key in () if column is None else column.foreign_keys:
        return known[key.target_fullname.partition(".")[0]]
    if name == "tenant_id":
        return known["organizations"]
    return uuid4() if kind == "uuid" else _words(table).get(name, _VALUES.get(kind, "x"))


def _words(table: str) -> dict[str, str]:
    checks = metadata.tables[table].constraints
    texts = [str(each.sqltext) for each in checks if isinstance(each, CheckConstraint)]
    return {found[1]: found[2] for text in texts if (found := _ALLOWED.match(text))}
