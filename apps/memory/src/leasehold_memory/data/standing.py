"""How a unit stands: its state, and who may learn of it. Neither is a version of what it says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import update

from leasehold_memory.data import edges, payloads
from leasehold_memory.data.reading import row_of
from leasehold_memory.data.tables import unit
from leasehold_memory.data.versions import held_of, index
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection


def settle(connection: Connection, unit_id: int) -> None:
    """Bring a derived unit's state and sensitivity in line with what speaks for it now."""
    row = row_of(connection, unit_id)
    marks: dict[str, Any] = {"sensitivity": Sensitivity(row["sensitivity"])}
    if "state" not in held_of(row):
        marks["state"] = _state_now(connection, unit_id, UnitKind(row["kind"]))
    if mark(connection, unit_id, marks, datetime.now(UTC)):
        index(connection, unit_id)


def mark(connection: Connection, unit_id: int, marks: Mapping[str, Any], now: datetime) -> bool:
    """Change what is no payload where it differs; sources say how sensitive a unit is at least."""
    row = row_of(connection, unit_id)
    wanted = dict(marks)
    sources = edges.sensitivity_of(connection, unit_id)
    if sources is not None:
        own = row["sensitivity"] if "sensitivity" in held_of(row) else Sensitivity.NORMAL
        wanted["sensitivity"] = max(sources, own)
    changed = {name: value for name, value in wanted.items() if row[name] != value}
    if changed:
        own_row = update(unit).where(unit.c.id == unit_id)
        connection.execute(own_row.values(**changed, updated_at=now))
    return bool(changed)


def _state_now(connection: Connection, unit_id: int, kind: UnitKind) -> UnitState:
    if edges.sensitivity_of(connection, unit_id) is None:
        return UnitState.RETRACTED
    return state_of(payloads.read_one(connection, kind, unit_id))


def state_of(payload: Mapping[str, Any]) -> UnitState:
    """Say how a unit stands that says this, and for which something speaks."""
    is_over = payload.get("valid_to") is not None or payload.get("is_open") is False
    return UnitState.CLOSED if is_over else UnitState.ACTIVE
