"""Reads what was found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from leasehold.kit.data import driver_connection
from leasehold_memory.data.texts import read_texts
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from leasehold_memory.retrieving.hits import Hit, Why

if TYPE_CHECKING:
    from sqlalchemy import Connection

_FOUND: Final = """
SELECT id, kind, occurred_at, state, sensitivity
FROM units
WHERE id IN (SELECT value FROM json_each(?))
"""


def read_hits(
    connection: Connection, fused: Sequence[tuple[int, float]], led: Mapping[Why, set[int]]
) -> list[Hit]:
    """Return the units of these numbers, in their order, with what led to each."""
    asked = json.dumps([unit_id for unit_id, _ in fused])
    rows = {row[0]: row for row in driver_connection(connection).execute(_FOUND, (asked,))}
    texts = _texts(connection, {unit_id: UnitKind(row[1]) for unit_id, row in rows.items()})
    return [
        Hit(
            unit_id=unit_id,
            kind=UnitKind(kind),
            text=texts[unit_id],
            score=score,
            why=tuple(why for why, numbers in led.items() if unit_id in numbers),
            occurred_at=datetime.fromisoformat(occurred_at),
            state=UnitState(state),
            sensitivity=Sensitivity(sensitivity),
        )
        for unit_id, score in fused
        for _, kind, occurred_at, state, sensitivity in [rows[unit_id]]
    ]


def _texts(connection: Connection, kinds: Mapping[int, UnitKind]) -> dict[int, str]:
    texts: dict[int, str] = {}
    for kind in {*kinds.values()}:
        texts |= read_texts(connection, kind, [each for each in kinds if kinds[each] is kind])
    return texts
