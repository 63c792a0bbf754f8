"""How large the tables are, and what holds the database up."""

from __future__ import annotations

from typing import Any

from leasehold.model.vitals import TableSize, Vitals
from leasehold.store.sql import load

PACKAGE = "leasehold.store.postgres"


class Vital:
    """The part of the store that looks at itself."""

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def vitals(self) -> Vitals:
        tables = [_table(row) for row in self._run(load(PACKAGE, "vitals_tables"))]
        ((version, connections, oldest),) = self._run(load(PACKAGE, "vitals"))
        sizes = [(each.size_bytes or 0) + (each.index_bytes or 0) for each in tables]
        return Vitals(
            engine="PostgreSQL",
            version=version,
            size_bytes=sum(sizes),
            free_bytes=None,
            log_bytes=None,
            connections=connections,
            oldest_transaction_seconds=oldest,
            tables=tables,
        )


def _table(row: tuple[Any, ...]) -> TableSize:
    name, size, index, rows, dead = row
    return TableSize(name=name, size_bytes=size, index_bytes=index, rows=rows, dead_rows=dead)
