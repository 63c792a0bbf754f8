"""The DDL in docs/db_schema.md, taken from a real file: `python -m tests.memory.data.schema`."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from leasehold_memory.data.migrating import MIGRATIONS
from leasehold_memory.data.tables import metadata
from tests.app_tables import AppTables

PAGE = Path(__file__).parents[3] / "docs" / "db_schema.md"
_BLOCK = re.compile(r"(?<=```sql\nCREATE TABLE )units.*?(?=```)", re.DOTALL)
# The queue's own, SQLite's own, and the tables in which FTS5 keeps an index.
_OURS = """
SELECT sql
FROM sqlite_master
WHERE sql IS NOT NULL
  AND name NOT LIKE 'leasehold%' AND tbl_name NOT LIKE 'leasehold%' AND name NOT LIKE 'sqlite%'
  AND NOT EXISTS (
    SELECT 1
    FROM sqlite_master AS whole
    WHERE whole.sql LIKE 'CREATE VIRTUAL%'
      AND substr(sqlite_master.name, 1, length(whole.name) + 1) = whole.name || '_')
ORDER BY type = 'view', tbl_name <> 'units', tbl_name, type <> 'table', name
"""


def ddl_of(file: Path) -> str:
    """Write the statements that make a file's tables, indexes, triggers and views."""
    with closing(sqlite3.connect(file)) as connection:
        statements = [_tidy(sql) for (sql,) in connection.execute(_OURS)]
    return "\n\n".join(f"{each};" for each in statements) + "\n"


def ddl_on_page() -> str:
    """Return the block of the page that begins with the units."""
    found = _BLOCK.search(PAGE.read_text("utf-8"))
    return f"CREATE TABLE {found[0]}" if found else ""


def _tidy(sql: str) -> str:
    lines = [line.replace("\t", "  ").rstrip() for line in sql.strip().splitlines()]
    return "\n".join(line for line in lines if line)


def _write() -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = ddl_of(AppTables(MIGRATIONS, metadata).make_file(Path(folder)))
    page = PAGE.read_text("utf-8")
    PAGE.write_text(_BLOCK.sub(lambda _: made.removeprefix("CREATE TABLE "), page), "utf-8")


if __name__ == "__main__":
    _write()
