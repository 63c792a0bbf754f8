"""Takes units and entities out of all tables, and remembers that their bytes are still to go.

Each row is deleted by name, not by foreign keys: a job's own connection does not enforce those.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import delete, insert, or_, select

from leasehold_memory.data import entities, payloads, tables, text_index
from leasehold_memory.data.job_traces import jobs_behind
from leasehold_memory.data.sets import among
from leasehold_memory.data.standing import settle

if TYPE_CHECKING:
    from sqlalchemy import Connection

_OF_UNITS = (tables.unit_version, tables.unit_entity, tables.unit_vector)


class Erasure(NamedTuple):
    """What was forgotten, by numbers."""

    id: int
    unit_ids: frozenset[int]
    entity_ids: frozenset[int]
    job_ids: frozenset[UUID]  # that derived it


def delete_all(
    connection: Connection,
    unit_ids: Collection[int],
    entity_ids: Collection[int],
    *,
    now: datetime,
) -> None:
    """Delete units and entities with all that belongs to them, and note the erasure."""
    left = _left_behind(connection, unit_ids)
    jobs = sorted(map(str, jobs_behind(connection, unit_ids)))
    spoken_of = _spoken_of(connection, unit_ids)
    scopes = _scopes(connection, unit_ids)
    connection.execute(delete(tables.refresh).where(tables.refresh.c.scope_key.in_(scopes)))
    for unit_id in unit_ids:
        text_index.remove(connection, unit_id)
    for table in (*_OF_UNITS, *payloads.TABLES.values()):
        connection.execute(delete(table).where(among(table.c.unit_id, unit_ids)))
    ends = (among(tables.edge.c.source_id, unit_ids), among(tables.edge.c.target_id, unit_ids))
    connection.execute(delete(tables.edge).where(or_(*ends)))
    connection.execute(delete(tables.unit).where(among(tables.unit.c.id, unit_ids)))
    idle = _unspoken(connection, spoken_of - set(entity_ids))
    gone = {*entity_ids, *idle}
    _delete_entities(connection, gone)
    for unit_id in sorted(left):
        settle(connection, unit_id)
    entities.weigh(connection, spoken_of - gone)
    row = {"unit_ids": sorted(unit_ids), "entity_ids": sorted(gone), "job_ids": jobs}
    connection.execute(insert(tables.erasure), {**row, "asked_at": now})


def pending(connection: Connection) -> list[Erasure]:
    """List what is forgotten and not out of the file yet."""
    rows = connection.execute(select(tables.erasure).order_by(tables.erasure.c.id))
    return [
        Erasure(
            row.id,
            frozenset(row.unit_ids),
            frozenset(row.entity_ids),
            frozenset(map(UUID, row.job_ids)),
        )
        for row in rows
    ]


def note_erased(connection: Connection, erasures: Collection[Erasure]) -> None:
    """Forget what was forgotten: nothing of it is left."""
    done = [each.id for each in erasures]
    connection.execute(delete(tables.erasure).where(among(tables.erasure.c.id, done)))


def _delete_entities(connection: Connection, entity_ids: Collection[int]) -> None:
    for table in (tables.unit_entity, tables.entity_alias):
        connection.execute(delete(table).where(among(table.c.entity_id, entity_ids)))
    scopes = [f"{what}:{each}" for what in ("person", "topic") for each in entity_ids]
    connection.execute(delete(tables.refresh).where(tables.refresh.c.scope_key.in_(scopes)))
    connection.execute(delete(tables.entity).where(among(tables.entity.c.id, entity_ids)))


def _left_behind(connection: Connection, unit_ids: Collection[int]) -> set[int]:
    """Find the units that lose some of what speaks for them, and stay."""
    query = select(tables.edge.c.source_id).where(among(tables.edge.c.target_id, unit_ids))
    return set(connection.scalars(query)) - set(unit_ids)


def _spoken_of(connection: Connection, unit_ids: Collection[int]) -> set[int]:
    query = select(tables.unit_entity.c.entity_id).where(
        among(tables.unit_entity.c.unit_id, unit_ids)
    )
    return set(connection.scalars(query))


def _scopes(connection: Connection, unit_ids: Collection[int]) -> list[str]:
    """Name what summaries and capsules were about: without them, each is due again."""
    found: list[str] = []
    for table in (tables.payload_summary, tables.payload_capsule):
        query = select(table.c.scope_key).where(among(table.c.unit_id, unit_ids))
        found += connection.scalars(query)
    return found


def _unspoken(connection: Connection, entity_ids: Collection[int]) -> set[int]:
    """Find those of whom no unit speaks any more."""
    mentions = select(tables.unit_entity.c.entity_id)
    subjects = select(tables.payload_fact.c.subject_id).where(
        tables.payload_fact.c.subject_id.is_not(None)
    )
    objects = select(tables.payload_fact.c.object_id).where(
        tables.payload_fact.c.object_id.is_not(None)
    )
    idle = select(tables.entity.c.id).where(
        among(tables.entity.c.id, entity_ids),
        tables.entity.c.id.not_in(mentions.union(subjects, objects)),
    )
    return set(connection.scalars(idle))
