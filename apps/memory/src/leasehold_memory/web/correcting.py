"""What a person puts right, and the jobs that follow: in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from leasehold_memory.model.stored import Saved, Unit
    from leasehold_memory.opening import Memory


def edit(
    memory: Memory,
    unit_id: int,
    changes: Mapping[str, Any],
    *,
    tags: Iterable[str] | None = None,
    sensitivity: Sensitivity | None = None,
    state: UnitState | None = None,
) -> Unit:
    """Change what a unit says; what it is found by, or what was derived from it, follows."""
    with memory.database.write_session() as session:
        connection = session.connection()
        saved = units.edit(
            connection, unit_id, changes, tags=tags, sensitivity=sensitivity, state=state
        )
        _follow(memory, session, saved)
        return units.get(connection, unit_id)


def roll_back(memory: Memory, unit_id: int, version: int) -> Unit:
    """Let a unit say again what it said in that version."""
    with memory.database.write_session() as session:
        connection = session.connection()
        _follow(memory, session, units.rollback(connection, unit_id, version))
        return units.get(connection, unit_id)


def _follow(memory: Memory, session: Session, saved: Saved) -> None:
    if not saved.is_changed:
        return
    if units.get(session.connection(), saved.unit_id).kind is UnitKind.EPISODE:
        tasks.after_episode(memory, session, saved.unit_id, now=datetime.now(UTC))
        tasks.sum_up_again(memory, session.connection(), saved.unit_id)
    else:
        memory.client.on(session).enqueue(tasks.upsert_embeddings, saved.unit_id)
