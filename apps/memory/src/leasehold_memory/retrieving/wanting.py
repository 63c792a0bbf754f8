"""Which units may be shown to who asks."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from leasehold_memory.data.tables import unit
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Units of these kinds, or of all; what was retracted never."""

    kinds: Collection[UnitKind] = ()
    may_be_secret: bool = False
    is_current: bool = False  # it holds still, or is still open

    def among(self, connection: Connection, unit_ids: Sequence[int]) -> list[int]:
        """Leave out what may not be shown, and keep the order."""
        query = select(unit.c.id).where(
            unit.c.id.in_(unit_ids), unit.c.state != UnitState.RETRACTED
        )
        if self.kinds:
            query = query.where(unit.c.kind.in_([int(kind) for kind in self.kinds]))
        if not self.may_be_secret:
            query = query.where(unit.c.sensitivity != Sensitivity.SECRET)
        if self.is_current:
            query = query.where(unit.c.state == UnitState.ACTIVE)
        allowed = set(connection.scalars(query))
        return [unit_id for unit_id in unit_ids if unit_id in allowed]
