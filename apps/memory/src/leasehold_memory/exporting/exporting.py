"""Writes a memory as JSON lines: what is told at one moment, whoever writes meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import msgspec
from sqlalchemy import func, select

from leasehold_memory.data import entities
from leasehold_memory.data.sets import among
from leasehold_memory.data.tables import edge, entity, refresh, unit, unit_entity, unit_version
from leasehold_memory.model.exports import (
    FORMAT,
    ExportedEntity,
    ExportedRefresh,
    ExportedUnit,
    Heading,
    Line,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

    from leasehold_memory.opening import Memory

_AT_ONCE = 500


class Exported(NamedTuple):
    """How much was written."""

    entities: int
    units: int


def export_memory(memory: Memory, out: BinaryIO) -> Exported:
    """Write all of a memory, also what is secret, but for vectors and jobs. UTF-8."""
    encode = msgspec.json.Encoder().encode
    with memory.database.read() as connection:
        heading = _heading(connection, memory.preset.id)
        lines = chain([heading], _entities(connection), _units(connection), _refreshes(connection))
        out.writelines(encode(line) + b"\n" for line in lines)
    return Exported(heading.entities, heading.units)


def _heading(connection: Connection, preset_id: str) -> Heading:
    counts = [
        connection.scalar(select(func.count()).select_from(table)) or 0 for table in (entity, unit)
    ]
    return Heading(format=FORMAT, preset=preset_id, entities=counts[0], units=counts[1])


def _entities(connection: Connection) -> Iterator[Line]:
    for ids in _steps(connection, entity):
        for each in entities.get_many(connection, ids):
            yield ExportedEntity(
                id=each.id,
                kind=each.kind,
                name=each.name,
                aliases=each.aliases,
                created_at=each.created_at,
                updated_at=each.updated_at,
            )


def _units(connection: Connection) -> Iterator[Line]:
    for ids in _steps(connection, unit):
        rows = connection.execute(select(unit).where(among(unit.c.id, ids)).order_by(unit.c.id))
        versions = _by_unit(connection, unit_version, "unit_id", ids)
        mentions = _by_unit(connection, unit_entity, "unit_id", ids)
        edges = _by_unit(connection, edge, "source_id", ids)
        for row in rows.mappings():
            parts = {
                "versions": versions.get(row["id"], []),
                "entities": mentions.get(row["id"], []),
                "edges": edges.get(row["id"], []),
                "held": json.loads(row["held"]),
            }
            yield msgspec.convert({**_plain(row), **parts, "line": "unit"}, ExportedUnit)


def _refreshes(connection: Connection) -> Iterator[Line]:
    for row in connection.execute(select(refresh).order_by(refresh.c.scope_key)).mappings():
        yield ExportedRefresh(**row)


def _by_unit(
    connection: Connection, table: Any, column: str, ids: list[int]
) -> dict[int, list[dict[str, Any]]]:
    query = select(table).where(among(table.c[column], ids)).order_by(*table.primary_key)
    found: dict[int, list[dict[str, Any]]] = {}
    for row in connection.execute(query).mappings():
        found.setdefault(row[column], []).append(_plain(row))
    return found


def _plain(row: RowMapping) -> dict[str, Any]:
    """Name columns by texts alone: SQLAlchemy's names are more than that."""
    return {str(name): value for name, value in row.items()}


def _steps(connection: Connection, table: Any) -> Iterator[list[int]]:
    """Go through the numbers of a table, some at a time."""
    last = 0
    while True:
        query = select(table.c.id).where(table.c.id > last).order_by(table.c.id).limit(_AT_ONCE)
        ids = list(connection.scalars(query))
        if not ids:
            return
        yield ids
        last = ids[-1]
