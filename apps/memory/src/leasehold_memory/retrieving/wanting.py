"""Which units may be shown to who asks."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from leasehold.kit.data import driver_connection
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection

_STANDING: Final = """
SELECT id, kind, state, sensitivity
FROM units
WHERE id IN (SELECT value FROM json_each(?))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Units of these kinds, or of all; what was retracted never."""

    kinds: Collection[UnitKind] = ()
    may_be_secret: bool = False
    is_current: bool = False  # it holds still, or is still open

    def among(self, connection: Connection, unit_ids: Sequence[int]) -> list[int]:
        """Leave out what may not be shown, and keep the order."""
        # On the driver's connection: it is asked several times for one question.
        rows = driver_connection(connection).execute(_STANDING, (json.dumps(unit_ids),))
        allowed = {unit_id for unit_id, *standing in rows if self._allows(*standing)}
        return [unit_id for unit_id in unit_ids if unit_id in allowed]

    def _allows(self, kind: int, state: str, sensitivity: int) -> bool:
        return (
            (not self.kinds or kind in self.kinds)
            and (self.may_be_secret or sensitivity < Sensitivity.SECRET)
            and (state == UnitState.ACTIVE if self.is_current else state != UnitState.RETRACTED)
        )
