"""Which episodes speak for a unit, and what that makes of it.

What is derived is as sensitive as the most sensitive of its sources, and retracted when nothing
speaks for it any more.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING

from sqlalchemy import delete, select

from leasehold.kit.data import driver_connection, insert_new
from leasehold_memory.data.sets import among
from leasehold_memory.data.tables import edge, unit
from leasehold_memory.errors import SourceGone
from leasehold_memory.model.units import Sensitivity, UnitKind

if TYPE_CHECKING:
    from sqlalchemy import Connection

EVIDENCE = "evidence"
SUPERSEDES = "supersedes"
# On the driver's connection: a job asks for these several times.
_EVIDENCE = """
SELECT source_id, target_id
FROM edges
WHERE source_id IN (SELECT value FROM json_each(?)) AND relation = 'evidence'
ORDER BY source_id, target_id
"""
_HIGHEST = """
SELECT max(units.sensitivity)
FROM edges
JOIN units ON units.id = edges.target_id
WHERE edges.source_id = ? AND edges.relation = 'evidence'
"""


def evidence_of(connection: Connection, unit_ids: Collection[int]) -> dict[int, list[int]]:
    """Return the episodes that speak for each of some units, the oldest first."""
    found: dict[int, list[int]] = {unit_id: [] for unit_id in unit_ids}
    asked = json.dumps([*found])
    for source_id, target_id in driver_connection(connection).execute(_EVIDENCE, (asked,)):
        found[source_id].append(target_id)
    return found


def derived_from(connection: Connection, episode_id: int, kind: UnitKind | None = None) -> set[int]:
    """Return the units that an episode speaks for."""
    query = (
        select(edge.c.source_id)
        .join(unit, unit.c.id == edge.c.source_id)
        .where(edge.c.target_id == episode_id, edge.c.relation == EVIDENCE)
    )
    wanted = query if kind is None else query.where(unit.c.kind == kind)
    return set(connection.scalars(wanted))


def replace_evidence(connection: Connection, unit_id: int, episode_ids: Collection[int]) -> bool:
    """Let exactly these episodes speak for a unit; whether that is a change."""
    wanted = set(episode_ids)
    known = set(evidence_of(connection, [unit_id])[unit_id])
    add_edges(connection, [(unit_id, each) for each in sorted(wanted - known)], EVIDENCE)
    drop_edges(connection, [(unit_id, each) for each in known - wanted], EVIDENCE)
    return wanted != known


def add_edges(connection: Connection, pairs: Collection[tuple[int, int]], relation: str) -> None:
    """Lead from one unit to another; both must be there still: who derives read them long ago."""
    if not pairs:
        return
    named = {each for pair in pairs for each in pair}
    there = set(connection.scalars(select(unit.c.id).where(among(unit.c.id, named))))
    if gone := named - there:
        raise SourceGone(gone)
    rows = [{"source_id": a, "target_id": b, "relation": relation} for a, b in pairs]
    insert_new(connection, edge, rows)


def drop_edges(connection: Connection, pairs: Collection[tuple[int, int]], relation: str) -> None:
    for source_id, target_id in pairs:
        connection.execute(
            delete(edge).where(
                edge.c.source_id == source_id,
                edge.c.target_id == target_id,
                edge.c.relation == relation,
            )
        )


def sensitivity_of(connection: Connection, unit_id: int) -> Sensitivity | None:
    """Return that of the most sensitive source; None when nothing speaks for the unit."""
    (highest,) = driver_connection(connection).execute(_HIGHEST, (unit_id,)).fetchone()
    return None if highest is None else Sensitivity(highest)
