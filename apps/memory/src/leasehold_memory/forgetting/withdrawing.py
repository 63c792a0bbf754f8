"""Takes back what episodes said before they are deleted, so that what they had closed stands again.

Which of two facts holds, and whether a loop is open, is what all episodes say together: it is
found anew without these.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from sqlalchemy import select

from leasehold_memory.data.sets import among
from leasehold_memory.data.tables import unit
from leasehold_memory.deriving import facts, loops
from leasehold_memory.model.answers import Facts, Loops
from leasehold_memory.model.units import UnitKind

if TYPE_CHECKING:
    from sqlalchemy import Connection


def withdraw(connection: Connection, unit_ids: Collection[int]) -> None:
    """Let those of these units that are episodes state nothing, and leave nothing open."""
    episodes = select(unit.c.id).where(among(unit.c.id, unit_ids), unit.c.kind == UnitKind.EPISODE)
    for episode_id in connection.scalars(episodes.order_by(unit.c.id)).all():
        facts.write(connection, episode_id, Facts(facts=[]), None)
        loops.write(connection, episode_id, Loops(loops=[]), None)
