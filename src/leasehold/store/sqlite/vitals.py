"""How large the file is, and what of it is free."""

from __future__ import annotations

import sqlite3

from leasehold.model.vitals import TableSize, Vitals
from leasehold.store.sqlite.database import Database

# Rows are counted by nobody but ANALYZE, which nobody has to run.
_TABLES = """
SELECT name
FROM sqlite_master
WHERE type = 'table'
  AND substr(name, 1, 10) = 'leasehold_'
ORDER BY name
"""
_PAGES = """
SELECT page_count, freelist_count, page_size
FROM pragma_page_count, pragma_freelist_count, pragma_page_size
"""


class Vital:
    """The part of the store that looks at itself."""

    _database: Database

    def vitals(self) -> Vitals:
        with self._database.read() as connection:
            names = [name for (name,) in connection.execute(_TABLES)]
            pages, free, size = connection.execute(_PAGES).fetchone()
        return Vitals(
            engine="SQLite",
            version=sqlite3.sqlite_version,
            size_bytes=pages * size,
            free_bytes=free * size,
            log_bytes=self._database.wal_bytes(),
            connections=None,
            oldest_transaction_seconds=None,
            tables=[_table(name) for name in names],
        )


def _table(name: str) -> TableSize:
    return TableSize(name=name, size_bytes=None, index_bytes=None, rows=None, dead_rows=None)
