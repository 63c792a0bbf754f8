"""Reads units: one with all that belongs to it, or lists, the newest first."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, select, tuple_

from leasehold_memory.data import payloads, text_index
from leasehold_memory.data.edges import evidence_of
from leasehold_memory.data.sets import among
from leasehold_memory.data.tables import unit, unit_entity
from leasehold_memory.errors import UnitNotFound
from leasehold_memory.model.stored import Unit
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping, Select


_ROW = select(unit).where(unit.c.id == bindparam("unit"))  # built once: jobs read it all the time


class Found(NamedTuple):
    """A part of a list, and `before` which unit the next one begins; None when this is the last."""

    units: list[Unit]
    before: int | None = None


def row_of(connection: Connection, unit_id: int) -> RowMapping:
    """Return the row of a unit; `UnitNotFound` when there is none."""
    row = connection.execute(_ROW, {"unit": unit_id}).mappings().first()
    if row is None:
        raise UnitNotFound(unit_id)
    return row


def get(connection: Connection, unit_id: int) -> Unit:
    """Return a unit with its payload and what speaks for it."""
    return whole(connection, [row_of(connection, unit_id)])[0]


def get_many(connection: Connection, unit_ids: Collection[int]) -> list[Unit]:
    """Return those of some units that are there, in the order of their numbers."""
    query = select(unit).where(among(unit.c.id, unit_ids)).order_by(unit.c.id)
    return whole(connection, connection.execute(query).mappings().all())


def find(
    connection: Connection,
    *,
    kind: UnitKind | None = None,
    state: UnitState | None = None,
    entity_id: int | None = None,
    q: str | None = None,
    sensitivity: Sensitivity | None = None,
    before: int | None = None,
    limit: int = 50,
) -> Found:
    """List units, the newest first: those that are all that is asked for.

    `q` is words that its text has somewhere, all of them; retracted units have none.
    """
    query = select(unit).order_by(unit.c.occurred_at.desc(), unit.c.id.desc())
    for name, value in {"kind": kind, "state": state, "sensitivity": sensitivity}.items():
        query = query if value is None else query.where(unit.c[name] == value)
    if entity_id is not None:
        query = query.where(unit.c.id.in_(_mentioning(entity_id)))
    if q is not None and q.strip():
        query = query.where(text_index.containing(q))
    if before is not None:
        query = query.where(tuple_(unit.c.occurred_at, unit.c.id) < _place_of(before))
    rows = connection.execute(query.limit(limit + 1)).mappings().all()
    units = whole(connection, rows[:limit])
    return Found(units, units[-1].id if len(rows) > limit else None)


def whole(connection: Connection, rows: Collection[RowMapping]) -> list[Unit]:
    """Add payloads and evidence to rows of units."""
    ids = [row["id"] for row in rows]
    evidence = evidence_of(connection, ids)
    said: dict[int, dict[str, Any]] = {}
    for kind in {row["kind"] for row in rows}:
        of_kind = [row["id"] for row in rows if row["kind"] == kind]
        said |= payloads.read(connection, UnitKind(kind), of_kind)
    return [_unit(row, said.get(row["id"], {}), evidence[row["id"]]) for row in rows]


def _unit(row: RowMapping, payload: dict[str, Any], evidence: list[int]) -> Unit:
    fields = dict(row)
    return Unit(
        kind=UnitKind(fields.pop("kind")),
        state=UnitState(fields.pop("state")),
        sensitivity=Sensitivity(fields.pop("sensitivity")),
        tags=tuple(json.loads(fields.pop("topic_tags"))),
        held=tuple(json.loads(fields.pop("held"))),
        payload=payload,
        evidence=tuple(evidence),
        **fields,
    )


def _mentioning(entity_id: int) -> Select[tuple[int]]:
    return select(unit_entity.c.unit_id).where(unit_entity.c.entity_id == entity_id)


def _place_of(unit_id: int) -> Any:
    last = unit.alias("last")
    return select(last.c.occurred_at, last.c.id).where(last.c.id == unit_id).scalar_subquery()
