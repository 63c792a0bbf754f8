"""The vector of what a unit says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import leasehold as lh
from leasehold_memory.data import payloads, reading, vectors
from leasehold_memory.model.units import UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.deriving.attempt import Attempt

_ROUNDS = 3


class _Moved(Exception):
    """The unit says something else by now."""


def upsert(attempt: Attempt, unit_id: int) -> None:
    """Embed what a unit says now, unless that was done already."""
    for _ in range(_ROUNDS):
        with attempt.reading() as connection:
            said = _said(connection, unit_id)
            if not said or vectors.is_current(connection, unit_id, said):
                return
        vector = attempt.memory.embedder.embed([said])[0]
        try:
            with attempt.writing() as connection:
                if _said(connection, unit_id) != said:
                    raise _Moved
                vectors.put(connection, unit_id, said, vector)
        except _Moved:
            continue
        return
    raise lh.Snooze("2s", reason="it changes quicker than it can be embedded")


def _said(connection: Connection, unit_id: int) -> str:
    """Return its text; none when nothing speaks for it."""
    unit = reading.get(connection, unit_id)
    if unit.state is UnitState.RETRACTED:
        return ""
    return payloads.text_of(connection, unit.kind, unit.payload)
