"""All vectors of a memory as one matrix, kept in step with its file whoever writes to it.

`vector_changes` has a number for each unit whose vector was put or removed, the newest one's the
highest; triggers write it. So looking whether anything changed is one step in an index, and what
changed is all that is read.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import text

from leasehold.kit.data import driver_connection
from leasehold_memory.model.units import UnitKind

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sqlalchemy import Connection

    from leasehold.kit.data import Database

_CHUNK = 2_000  # rows at a time: another thread may run between two
_SMALLEST = 1_024

_NOTE = """
CREATE TRIGGER unit_vectors_{event}
AFTER {event} ON unit_vectors
BEGIN
  DELETE FROM vector_changes WHERE unit_id = {row}.unit_id;
  INSERT INTO vector_changes (unit_id) VALUES ({row}.unit_id);
END
"""
_CHANGES = """
SELECT changed.number, changed.unit_id, units.kind, unit_vectors.vector
FROM vector_changes AS changed
LEFT JOIN unit_vectors ON unit_vectors.unit_id = changed.unit_id
LEFT JOIN units ON units.id = unit_vectors.unit_id
WHERE changed.number > ?
ORDER BY changed.number
LIMIT ?
"""


def make_notes(connection: Connection) -> None:
    """Make the triggers that write down which vectors changed."""
    for event, row in (("insert", "new"), ("update", "new"), ("delete", "old")):
        connection.execute(text(_NOTE.format(event=event, row=row)))


@dataclass(frozen=True, slots=True)
class Scores:
    """How near all units are to one vector, by their cosine."""

    ids: NDArray[np.int64]
    kinds: NDArray[np.int8]
    cosines: NDArray[np.float32]

    def best(self, limit: int, kinds: Collection[UnitKind] = ()) -> list[int]:
        """Return the nearest units of these kinds, or of all; of equal ones the newest first."""
        places = self._places(kinds)
        best = _highest(self.cosines[places], self.ids[places], limit)
        found: list[int] = self.ids[places[best]].tolist()
        return found

    def _places(self, kinds: Collection[UnitKind]) -> NDArray[np.int64]:
        if not kinds:
            return np.arange(len(self.ids))
        return np.flatnonzero(np.logical_or.reduce([self.kinds == kind for kind in kinds]))


class VectorMatrix:
    """The vectors of one file. Any thread may ask; they take turns."""

    def __init__(self, dimension: int) -> None:
        self.dimension = dimension
        self._lock = threading.Lock()
        self._count = self._seen = 0
        self._slots: dict[int, int] = {}
        self._rows = np.empty((_SMALLEST, dimension), np.float32)
        self._ids = np.empty(_SMALLEST, np.int64)
        self._kinds = np.empty(_SMALLEST, np.int8)

    def compare(self, connection: Connection, vector: NDArray[np.float32]) -> Scores:
        """Compare a vector with all that this connection sees, which must write nothing itself.

        Of what changed since its transaction began, some may be seen as well.
        """
        with self._lock:
            self._catch_up(connection)
            count = self._count
            # Not `@`: its threads would take the processor from who answers somebody.
            cosines = np.vecdot(self._rows[:count], vector)
            return Scores(self._ids[:count].copy(), self._kinds[:count].copy(), cosines)

    def is_empty(self, database: Database) -> bool:
        """Tell whether there is nothing that a vector could be compared with.

        Where there was something at the last look, the file is not asked.
        """
        if self._count:
            return False
        with database.read() as connection, self._lock:
            self._catch_up(connection)
            return self._count == 0

    def _catch_up(self, connection: Connection) -> None:
        # On the driver's connection, which reads all vectors of a large file in half the time.
        driver = driver_connection(connection)
        while rows := driver.execute(_CHANGES, (self._seen, _CHUNK)).fetchall():
            self._take(rows)
            self._seen = rows[-1][0]

    def _take(self, rows: Sequence[tuple[int, int, int, bytes | None]]) -> None:
        """Put and drop: each unit is among the changes once."""
        size = self.dimension * self._rows.itemsize
        put = {
            unit_id: (kind, said) for _, unit_id, kind, said in rows if said and len(said) == size
        }
        for _, unit_id, _, _ in rows:
            if unit_id not in put:
                self._drop(unit_id)
        self._grow(self._count + len(put))
        slots = np.array([self._slot(unit_id) for unit_id in put], np.int64)
        self._ids[slots] = [*put]
        self._kinds[slots] = [kind for kind, _ in put.values()]
        content = b"".join(said for _, said in put.values())
        self._rows[slots] = np.frombuffer(content, "<f4").reshape(-1, self.dimension)

    def _slot(self, unit_id: int) -> int:
        slot = self._slots.setdefault(unit_id, self._count)
        self._count = max(self._count, slot + 1)
        return slot

    def _drop(self, unit_id: int) -> None:
        """Let the last one take the place of one that is gone."""
        slot = self._slots.pop(unit_id, None)
        if slot is None:
            return
        self._count = last = self._count - 1
        if slot != last:
            for array in (self._rows, self._ids, self._kinds):
                array[slot] = array[last]
            self._slots[int(self._ids[slot])] = slot

    def _grow(self, wanted: int) -> None:
        size = len(self._ids)
        if wanted <= size:
            return
        larger = max(wanted, size * 2)
        self._rows = _resized(self._rows, larger, self._count)
        self._ids = _resized(self._ids, larger, self._count)
        self._kinds = _resized(self._kinds, larger, self._count)


def _resized(array: NDArray[Any], size: int, count: int) -> NDArray[Any]:
    larger = np.empty((size, *array.shape[1:]), array.dtype)
    larger[:count] = array[:count]
    return larger


def _highest(scores: NDArray[np.float32], ids: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return where the highest scores are, in order; of equal ones the highest number first."""
    places = np.arange(len(scores))
    if len(scores) > limit:
        places = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
    order = np.lexsort((ids[places], scores[places]))[::-1]
    return places[order[:limit]]
