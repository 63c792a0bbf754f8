"""Writes exported entities and units under the numbers that they had.

Of what is there already the newer one stands, by when it was changed. What was made at another
moment is something else under the same number, and a conflict.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from leasehold.kit.data import insert_new, upsert
from leasehold_memory.data import payloads
from leasehold_memory.data.entities import weigh
from leasehold_memory.data.tables import (
    edge,
    entity,
    entity_alias,
    refresh,
    unit,
    unit_entity,
    unit_version,
)
from leasehold_memory.data.versions import TAGS, index
from leasehold_memory.errors import ImportConflict
from leasehold_memory.model.hashing import payload_hash
from leasehold_memory.model.names import name_key
from leasehold_memory.model.tags import write_tags

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.model.exports import (
        ExportedEntity,
        ExportedRefresh,
        ExportedUnit,
        ExportedVersion,
    )


def restore_entities(connection: Connection, lines: Iterable[ExportedEntity]) -> set[int]:
    """Write those that are new or newer; returns their numbers."""
    changed = [line for line in lines if _is_newer_entity(connection, line)]
    for line in changed:
        row = {"kind": line.kind, "name": line.name, "name_key": name_key(line.name)}
        times = {"created_at": line.created_at, "updated_at": line.updated_at}
        upsert(connection, entity, {"id": line.id, **row, **times}, key=["id"])
        aliases = [
            {"entity_id": line.id, "alias_key": name_key(alias), "alias": alias}
            for alias in line.aliases
        ]
        if aliases:
            insert_new(connection, entity_alias, aliases)
    return {line.id for line in changed}


def restore_units(connection: Connection, lines: Iterable[ExportedUnit]) -> set[int]:
    """Write those that are new or newer, with all that belongs to them; returns their numbers."""
    changed = [line for line in lines if _is_newer_unit(connection, line)]
    for line in changed:
        _write_unit(connection, line)
    for line in changed:  # when all are there to which they lead
        _write_links(connection, line)
        index(connection, line.id)
    weigh(connection, {each.entity_id for line in changed for each in line.entities})
    return {line.id for line in changed}


def restore_refreshes(connection: Connection, lines: Collection[ExportedRefresh]) -> None:
    """Remember when summaries were derived last, where nothing is known of it."""
    rows = [
        {
            "scope_key": each.scope_key,
            "episode_id": each.episode_id,
            "finished_at": each.finished_at,
        }
        for each in lines
    ]
    if rows:
        insert_new(connection, refresh, rows)


def _is_newer_entity(connection: Connection, line: ExportedEntity) -> bool:
    same_name = select(entity.c.id).where(
        entity.c.kind == line.kind, entity.c.name_key == name_key(line.name), entity.c.id != line.id
    )
    if connection.scalar(same_name) is not None:
        raise ImportConflict("entity", line.id)
    known = connection.execute(select(entity).where(entity.c.id == line.id)).first()
    if known is None:
        return True
    if (known.kind, known.created_at) != (line.kind, line.created_at):
        raise ImportConflict("entity", line.id)
    return bool(line.updated_at > known.updated_at)


def _is_newer_unit(connection: Connection, line: ExportedUnit) -> bool:
    same = select(unit.c.id).where(
        unit.c.kind == line.kind, unit.c.identity == line.identity, unit.c.id != line.id
    )
    if line.identity is not None and connection.scalar(same) is not None:
        raise ImportConflict("unit", line.id)
    known = connection.execute(select(unit).where(unit.c.id == line.id)).first()
    if known is None:
        return True
    ours = (known.kind, known.created_at, known.identity)
    if ours != (line.kind, line.created_at, line.identity):
        raise ImportConflict("unit", line.id)
    return bool(line.updated_at > known.updated_at)


def _write_unit(connection: Connection, line: ExportedUnit) -> None:
    last = line.versions[-1]
    said = {name: value for name, value in last.payload.items() if name != TAGS}
    row = {
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
    upsert(connection, unit, row, key=["id"])
    payloads.write(connection, line.id, line.kind, payloads.whole(line.kind, said))
    _write_versions(connection, line.id, line.versions)


def _write_versions(
    connection: Connection, unit_id: int, versions: Collection[ExportedVersion]
) -> None:
    """Add the versions that are missing; others must be the same, or both went their own ways."""
    own = select(unit_version.c.version, unit_version.c.payload_hash).where(
        unit_version.c.unit_id == unit_id
    )
    known = {row.version: row.payload_hash for row in connection.execute(own)}
    rows = [
        {
            "unit_id": unit_id,
            "version": each.version,
            "payload_hash": payload_hash(each.payload),
            "payload": each.payload,
            "author": each.author,
            "job_id": each.job_id,
            "attempt": each.attempt,
            "created_at": each.created_at,
        }
        for each in versions
    ]
    theirs = {row["version"]: row["payload_hash"] for row in rows}
    if any(theirs.get(number) != hashed for number, hashed in known.items()):
        raise ImportConflict("unit", unit_id)
    insert_new(connection, unit_version, rows)


def _write_links(connection: Connection, line: ExportedUnit) -> None:
    connection.execute(delete(unit_entity).where(unit_entity.c.unit_id == line.id))
    connection.execute(delete(edge).where(edge.c.source_id == line.id))
    mentions = [
        {"unit_id": line.id, "entity_id": each.entity_id, "role": each.role, "weight": each.weight}
        for each in line.entities
    ]
    edges = [
        {
            "source_id": line.id,
            "target_id": each.target_id,
            "relation": each.relation,
            "weight": each.weight,
        }
        for each in line.edges
    ]
    for table, rows in ((unit_entity, mentions), (edge, edges)):
        if rows:
            insert_new(connection, table, rows)
