"""How a database does: its size, what of it is waste, what holds it up."""

from __future__ import annotations

import msgspec


class TableSize(msgspec.Struct, frozen=True, kw_only=True):
    """One table; the rows are the database's own estimate, None where it has none."""

    name: str
    size_bytes: int | None
    index_bytes: int | None
    rows: int | None
    dead_rows: int | None  # deleted, and not yet taken away


class Vitals(msgspec.Struct, frozen=True, kw_only=True):
    """The database behind a queue; what it can't say is None."""

    engine: str
    version: str
    size_bytes: int
    free_bytes: int | None  # inside the file, to be used again
    log_bytes: int | None  # of the write-ahead log
    connections: int | None
    oldest_transaction_seconds: float | None  # of another one; None: none is open
    tables: list[TableSize]
