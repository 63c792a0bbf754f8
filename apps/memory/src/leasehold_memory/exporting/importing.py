"""Brings an export into a memory, under the same numbers: all of it or nothing.

What is there already and as new stays as it is, so that importing twice changes nothing. A memory
that has something else under one of the numbers is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy.exc import IntegrityError

import leasehold as lh
from leasehold_memory import tasks
from leasehold_memory.data import restoring
from leasehold_memory.errors import BadExport
from leasehold_memory.exporting.reading import read_lines
from leasehold_memory.model.units import UnitKind, UnitState

if TYPE_CHECKING:
    from leasehold_memory.exporting.reading import Read
    from leasehold_memory.opening import Memory

_EMBEDDED = frozenset({UnitKind.EPISODE, UnitKind.FACT, UnitKind.SUMMARY, UnitKind.LOOP})


class Imported(NamedTuple):
    """What became of an export: what is not new or newer was there already."""

    entities: int
    units: int
    jobs: int


def import_memory(memory: Memory, lines: Iterable[bytes]) -> Imported:
    """Bring in what is new or newer, and let it be embedded by jobs.

    `BadExport` or `ImportConflict`, and nothing is changed. Who wants to write waits meanwhile.
    """
    read = read_lines(lines)
    try:
        return _bring_in(memory, read)
    except IntegrityError:
        raise BadExport(1, "what is in it contradicts itself") from None


def _bring_in(memory: Memory, read: Read) -> Imported:
    with memory.database.write_session() as session:
        connection = session.connection()
        entities = restoring.restore_entities(connection, read.entities.values())
        units = restoring.restore_units(connection, read.units.values())
        restoring.restore_refreshes(connection, read.refreshes)
        calls = _embedding(read, units) if memory.settings.current().memory_enabled else []
        memory.client.on(session).enqueue_many(calls)
    return Imported(len(entities), len(units), len(calls))


def _embedding(read: Read, unit_ids: set[int]) -> list[lh.Call]:
    return [
        tasks.upsert_embeddings.call(unit_id)
        for unit_id in sorted(unit_ids)
        if read.units[unit_id].kind in _EMBEDDED
        and read.units[unit_id].state is not UnitState.RETRACTED
    ]
