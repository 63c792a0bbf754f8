"""The vectors of units, as they are kept: float32 of length one, beside what they were made of."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import delete, select

from leasehold.kit.data import upsert
from leasehold_memory.data.tables import unit_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy import Connection

_KEPT = np.dtype("<f4")


def hash_of(content: str) -> str:
    """Return by what a text is known again: the same one need not be embedded twice."""
    return hashlib.sha256(content.encode()).hexdigest()


def is_current(connection: Connection, unit_id: int, content: str) -> bool:
    """Tell whether a unit has the vector of this text."""
    query = select(unit_vector.c.text_hash).where(unit_vector.c.unit_id == unit_id)
    return connection.scalar(query) == hash_of(content)


def put(connection: Connection, unit_id: int, content: str, vector: NDArray[np.float32]) -> None:
    """Keep the vector of a unit's text; one that it had is gone."""
    row = {
        "unit_id": unit_id,
        "dimension": len(vector),
        "text_hash": hash_of(content),
        "vector": np.asarray(vector, _KEPT).tobytes(),
    }
    upsert(connection, unit_vector, row, key=["unit_id"])


def remove(connection: Connection, unit_id: int) -> None:
    """Let it be near to nothing any more; one that is deleted is removed by itself."""
    connection.execute(delete(unit_vector).where(unit_vector.c.unit_id == unit_id))
