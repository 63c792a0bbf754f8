"""The vector of what a unit says."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import bindparam, select

import leasehold as lh
from leasehold_memory.data import vectors
from leasehold_memory.data.tables import unit
from leasehold_memory.data.texts import read_texts
from leasehold_memory.errors import UnitNotFound
from leasehold_memory.model.units import UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.deriving.attempt import Attempt

_ROUNDS = 3
_MARK = select(unit.c.kind, unit.c.state, unit.c.payload_hash).where(unit.c.id == bindparam("unit"))


class _Moved(Exception):
    """The unit says something else by now."""


class _Mark(NamedTuple):
    """By what it is known whether a unit says the same."""

    kind: int
    state: str
    payload_hash: str


def upsert(attempt: Attempt, unit_id: int) -> None:
    """Embed what a unit says now, unless that was done already."""
    for _ in range(_ROUNDS):
        with attempt.reading() as connection:
            mark = _mark(connection, unit_id)
            said = _said(connection, unit_id, mark)
            if not said or vectors.is_current(connection, unit_id, said):
                return
        vector = attempt.embed(said)
        try:
            with attempt.writing() as connection:
                if _mark(connection, unit_id) != mark:
                    raise _Moved
                vectors.put(connection, unit_id, said, vector)
        except _Moved:
            continue
        return
    raise lh.Snooze("2s", reason="it changes quicker than it can be embedded")


def _mark(connection: Connection, unit_id: int) -> _Mark:
    found = connection.execute(_MARK, {"unit": unit_id}).first()
    if found is None:
        raise UnitNotFound(unit_id)
    return _Mark(*found)


def _said(connection: Connection, unit_id: int, mark: _Mark) -> str:
    """Return its text; none when nothing speaks for it."""
    if mark.state == UnitState.RETRACTED:
        return ""
    return read_texts(connection, UnitKind(mark.kind), [unit_id])[unit_id]
