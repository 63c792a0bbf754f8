"""What pages ask beyond single units: what was remembered last, by which job, of whom how often."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import func, select

from leasehold_memory.data.reading import whole
from leasehold_memory.data.tables import entity, payload_summary, unit, unit_entity
from leasehold_memory.model.stored import Unit
from leasehold_memory.model.units import UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection


def remembered(connection: Connection, kinds: Collection[UnitKind], *, limit: int) -> list[Unit]:
    """Return what was derived last and still holds, the newest change first."""
    # As a sum, so that SQLite reads the index of changes from its end instead of all of a kind.
    kind = unit.c.kind + 0
    query = (
        select(unit)
        .where(kind.in_(kinds), unit.c.state == UnitState.ACTIVE)
        .order_by(unit.c.updated_at.desc(), unit.c.id.desc())
        .limit(limit)
    )
    return whole(connection, connection.execute(query).mappings().all())


def derived_by(connection: Connection, job_id: UUID, *, limit: int) -> list[Unit]:
    """Return the units that a job was the last to write."""
    query = select(unit).where(unit.c.job_id == job_id).order_by(unit.c.id).limit(limit)
    return whole(connection, connection.execute(query).mappings().all())


def summary_of(connection: Connection, entity_id: int) -> Unit | None:
    """Return the summary of a person or a topic, if there is one."""
    query = (
        select(unit)
        .join(payload_summary, payload_summary.c.unit_id == unit.c.id)
        .where(payload_summary.c.entity_id == entity_id, unit.c.state == UnitState.ACTIVE)
        .order_by(unit.c.updated_at.desc())
        .limit(1)
    )
    found = whole(connection, connection.execute(query).mappings().all())
    return found[0] if found else None


def names_of(connection: Connection, entity_ids: Collection[int]) -> dict[int, str]:
    query = select(entity.c.id, entity.c.name).where(entity.c.id.in_(entity_ids))
    return {row.id: row.name for row in connection.execute(query)}


def mentions_of(connection: Connection, entity_ids: Collection[int]) -> dict[int, int]:
    """Count the memories that speak of each of these."""
    query = (
        select(unit_entity.c.entity_id, func.count().label("mentions"))
        .where(unit_entity.c.entity_id.in_(entity_ids))
        .group_by(unit_entity.c.entity_id)
    )
    return {row.entity_id: row.mentions for row in connection.execute(query)}
