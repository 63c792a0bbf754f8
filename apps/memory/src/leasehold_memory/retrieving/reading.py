"""Reads what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import select

from leasehold_memory.data import payloads
from leasehold_memory.data.sets import among
from leasehold_memory.data.tables import unit
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from leasehold_memory.retrieving.hits import Hit, Why

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

_COLUMNS = (unit.c.id, unit.c.kind, unit.c.occurred_at, unit.c.state, unit.c.sensitivity)


def read_hits(
    connection: Connection, fused: Sequence[tuple[int, float]], led: Mapping[Why, set[int]]
) -> list[Hit]:
    """Return the units of these numbers, in their order, with what led to each."""
    query = select(*_COLUMNS).where(among(unit.c.id, dict(fused)))
    found = connection.execute(query).mappings().all()
    rows, texts = {row["id"]: row for row in found}, _texts(connection, found)
    return [
        Hit(
            unit_id=unit_id,
            kind=UnitKind(rows[unit_id]["kind"]),
            text=texts[unit_id],
            score=score,
            why=tuple(why for why, numbers in led.items() if unit_id in numbers),
            occurred_at=rows[unit_id]["occurred_at"],
            state=UnitState(rows[unit_id]["state"]),
            sensitivity=Sensitivity(rows[unit_id]["sensitivity"]),
        )
        for unit_id, score in fused
    ]


def _texts(connection: Connection, rows: Sequence[RowMapping]) -> dict[int, str]:
    texts: dict[int, str] = {}
    for kind in {UnitKind(row["kind"]) for row in rows}:
        said = payloads.read(connection, kind, [row["id"] for row in rows if row["kind"] == kind])
        for unit_id, payload in said.items():
            texts[unit_id] = payloads.text_of(connection, kind, payload)
    return texts
