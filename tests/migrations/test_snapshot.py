"""The schema is what the checked-in snapshot says: a change to it is seen in review.

LEASEHOLD_UPDATE_SNAPSHOTS=1 writes the snapshots anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Row, Tables

FOLDER = Path(__file__).parent / "snapshots"
UPDATE_VARIABLE = "LEASEHOLD_UPDATE_SNAPSHOTS"

# No definitions of views and functions: PostgreSQL prints them differently from version to version.
POSTGRES_PARTS = {
    "columns": """
        SELECT table_name, column_name, data_type, udt_name, is_nullable, column_default
        FROM information_schema.columns
        WHERE table_schema = 'leasehold'
        ORDER BY table_name, ordinal_position
    """,
    "indexes": """
        SELECT indexdef
        FROM pg_indexes
        WHERE schemaname = 'leasehold'
        ORDER BY indexname
    """,
    "functions": """
        SELECT proname, pg_get_function_arguments(oid) AS arguments,
          pg_get_function_result(oid) AS result
        FROM pg_proc
        WHERE pronamespace = 'leasehold'::regnamespace
        ORDER BY proname, arguments
    """,
    "sequences": """
        SELECT sequence_name, data_type, start_value, increment, cycle_option
        FROM information_schema.sequences
        WHERE sequence_schema = 'leasehold'
        ORDER BY sequence_name
    """,
    "enumerations": """
        SELECT typname, enumlabel
        FROM pg_enum
        JOIN pg_type ON pg_type.oid = enumtypid
        WHERE typnamespace = 'leasehold'::regnamespace
        ORDER BY typname, enumsortorder
    """,
    "migrations": """
        SELECT version, name
        FROM leasehold.migration
        ORDER BY version
    """,
}
SQLITE_PARTS = {
    "schema": """
        SELECT type, name, sql
        FROM sqlite_master
        WHERE name NOT LIKE 'sqlite_%'
        ORDER BY type, name
    """,
    "migrations": """
        SELECT version, name
        FROM leasehold_migration
        ORDER BY version
    """,
}


def describe(tables: Tables, parts: dict[str, str]) -> str:
    lines = []
    for title, query in parts.items():
        lines += [f"# {title}", *map(write_row, tables.execute(query)), ""]
    return "\n".join(lines)


def write_row(row: Row) -> str:
    return " | ".join("-" if value is None else str(value) for value in row.values())


def test_the_schema_is_the_one_in_the_snapshot(store: Store, tables: Tables) -> None:
    is_sqlite = store.url.startswith("sqlite:")
    file = FOLDER / ("sqlite.txt" if is_sqlite else "postgres.txt")
    current = describe(tables, SQLITE_PARTS if is_sqlite else POSTGRES_PARTS)
    if os.environ.get(UPDATE_VARIABLE):
        file.parent.mkdir(exist_ok=True)
        file.write_text(current, encoding="utf-8")
    assert current == file.read_text(encoding="utf-8"), f"{UPDATE_VARIABLE}=1 writes it anew"
