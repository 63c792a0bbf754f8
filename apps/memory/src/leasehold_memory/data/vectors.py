"""The vectors of units, as they are kept: float32 of length one, beside what they were made of."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert

from leasehold_memory.data.tables import unit_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy import Connection

_KEPT = np.dtype("<f4")

# Built once: a job that embeds does little else than run them.
_HASH = select(unit_vector.c.text_hash).where(unit_vector.c.unit_id == bindparam("unit"))
_NEW = insert(unit_vector)
_KEEP = _NEW.on_conflict_do_update(
    index_elements=["unit_id"],
    set_={name: _NEW.excluded[name] for name in ("dimension", "text_hash", "vector")},
)


def hash_of(content: str) -> str:
    """Return by what a text is known again: the same one need not be embedded twice."""
    return hashlib.sha256(content.encode()).hexdigest()


def is_current(connection: Connection, unit_id: int, content: str) -> bool:
    """Tell whether a unit has the vector of this text."""
    return connection.scalar(_HASH, {"unit": unit_id}) == hash_of(content)


def put(connection: Connection, unit_id: int, content: str, vector: NDArray[np.float32]) -> None:
    """Keep the vector of a unit's text; one that it had is gone."""
    row = {
        "unit_id": unit_id,
        "dimension": len(vector),
        "text_hash": hash_of(content),
        "vector": np.asarray(vector, _KEPT).tobytes(),
    }
    connection.execute(_KEEP, row)


def remove(connection: Connection, unit_id: int) -> None:
    """Let it be near to nothing any more; one that is deleted is removed by itself."""
    connection.execute(delete(unit_vector).where(unit_vector.c.unit_id == unit_id))
