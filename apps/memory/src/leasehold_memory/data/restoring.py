"""Writes exported entities and units under the numbers that they had, many rows at a time.

Of what is there already the newer one stands, by when it was changed. What was made at another
moment is something else under the same number, and a conflict.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import delete, insert, select
from sqlalchemy.dialects import sqlite

from leasehold.kit.data import insert_new
from leasehold_memory.data import payloads
from leasehold_memory.data.entities import weigh
from leasehold_memory.data.sets import among
from leasehold_memory.data.tables import (
    edge,
    entity,
    entity_alias,
    refresh,
    unit,
    unit_entity,
    unit_version,
)
from leasehold_memory.data.versions import TAGS, index, index_text
from leasehold_memory.errors import ImportConflict
from leasehold_memory.model.hashing import payload_hash
from leasehold_memory.model.names import name_key
from leasehold_memory.model.tags import write_tags
from leasehold_memory.model.units import UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection, Row, Table

    from leasehold_memory.model.exports import ExportedEntity, ExportedRefresh, ExportedUnit


def restore_entities(connection: Connection, lines: Iterable[ExportedEntity]) -> set[int]:
    """Write those that are new or newer; returns their numbers."""
    known = {row.id: row for row in connection.execute(select(entity))}
    named = {(row.kind, row.name_key): row.id for row in known.values()}
    changed = [
        line
        for line in lines
        if _is_newer(
            "entity",
            line,
            known.get(line.id),
            named.get((line.kind, name_key(line.name)), line.id),
        )
    ]
    _put(connection, entity, [_entity_row(line) for line in changed])
    aliases = [
        {"entity_id": line.id, "alias_key": name_key(alias), "alias": alias}
        for line in changed
        for alias in line.aliases
    ]
    if aliases:
        insert_new(connection, entity_alias, aliases)
    return {line.id for line in changed}


def restore_units(connection: Connection, lines: Iterable[ExportedUnit]) -> set[int]:
    """Write those that are new or newer, with all that belongs to them; returns their numbers."""
    known = {row.id: row for row in connection.execute(select(unit))}
    about = {(row.kind, row.identity): row.id for row in known.values() if row.identity}
    changed = [
        line
        for line in lines
        if _is_newer(
            "unit", line, known.get(line.id), about.get((line.kind, line.identity), line.id)
        )
    ]
    _put(connection, unit, [_unit_row(line) for line in changed])
    _write_versions(connection, changed)
    _write_payloads(connection, changed)
    _write_links(connection, changed)
    weigh(connection, {each.entity_id for line in changed for each in line.entities})
    return {line.id for line in changed}


def restore_refreshes(connection: Connection, lines: Collection[ExportedRefresh]) -> None:
    """Remember when summaries were derived last, where nothing is known of it."""
    rows = [msgspec.structs.asdict(each) for each in lines]
    if rows:
        insert_new(connection, refresh, rows)


def _is_newer(
    what: str, line: ExportedEntity | ExportedUnit, known: Row[Any] | None, of_same_name: int
) -> bool:
    if of_same_name != line.id:
        raise ImportConflict(what, line.id)
    if known is None:
        return True
    if (known.kind, known.created_at) != (line.kind, line.created_at):
        raise ImportConflict(what, line.id)
    return bool(line.updated_at > known.updated_at)


def _entity_row(line: ExportedEntity) -> dict[str, Any]:
    row = {"id": line.id, "kind": line.kind, "name": line.name, "name_key": name_key(line.name)}
    return {**row, "created_at": line.created_at, "updated_at": line.updated_at}


def _unit_row(line: ExportedUnit) -> dict[str, Any]:
    last = line.versions[-1]
    return {
        "id": line.id,
        "kind": line.kind,
        "state": line.state,
        "sensitivity": line.sensitivity,
        "occurred_at": line.occurred_at,
        "topic_tags": write_tags(last.payload[TAGS]),
        "version": last.version,
        "payload_hash": payload_hash(last.payload),
        "identity": line.identity,
        "held": json.dumps(sorted(line.held)),
        "job_id": line.job_id,
        "attempt": line.attempt,
        "created_at": line.created_at,
        "updated_at": line.updated_at,
    }


def _write_versions(connection: Connection, lines: Collection[ExportedUnit]) -> None:
    """Add the versions that are missing; others must be the same, or both went their own ways."""
    own = select(unit_version.c.unit_id, unit_version.c.version, unit_version.c.payload_hash)
    wanted = own.where(among(unit_version.c.unit_id, {line.id for line in lines}))
    known = {(row.unit_id, row.version): row.payload_hash for row in connection.execute(wanted)}
    theirs = {
        (line.id, each.version): {
            **msgspec.structs.asdict(each),
            "unit_id": line.id,
            "payload_hash": payload_hash(each.payload),
        }
        for line in lines
        for each in line.versions
    }
    for place, hashed in known.items():
        if place not in theirs or theirs[place]["payload_hash"] != hashed:
            raise ImportConflict("unit", place[0])
    _insert(connection, unit_version, [row for key, row in theirs.items() if key not in known])


def _write_payloads(connection: Connection, lines: Collection[ExportedUnit]) -> None:
    said = {line.id: _said(line) for line in lines}
    for kind in UnitKind:
        of_kind = {line.id: said[line.id] for line in lines if line.kind is kind}
        payloads.write_many(connection, kind, of_kind)
    for line in lines:
        if line.state is UnitState.RETRACTED:
            index(connection, line.id)
        else:
            index_text(connection, line.id, line.kind, said[line.id])


def _said(line: ExportedUnit) -> dict[str, Any]:
    payload = line.versions[-1].payload
    named = {name: value for name, value in payload.items() if name != TAGS}
    return payloads.whole(line.kind, named)


def _write_links(connection: Connection, lines: Collection[ExportedUnit]) -> None:
    ids = {line.id for line in lines}
    connection.execute(delete(unit_entity).where(among(unit_entity.c.unit_id, ids)))
    connection.execute(delete(edge).where(among(edge.c.source_id, ids)))
    mentions = [
        {"unit_id": line.id, **msgspec.structs.asdict(each)}
        for line in lines
        for each in line.entities
    ]
    edges = [
        {"source_id": line.id, **msgspec.structs.asdict(each)}
        for line in lines
        for each in line.edges
    ]
    _insert(connection, unit_entity, mentions)
    _insert(connection, edge, edges)


def _put(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        statement = sqlite.insert(table)
        changed = {name: statement.excluded[name] for name in rows[0] if name != "id"}
        connection.execute(
            statement.on_conflict_do_update(index_elements=["id"], set_=changed), rows
        )


def _insert(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(insert(table), rows)
