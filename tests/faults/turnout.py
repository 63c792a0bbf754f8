"""A small file in shared memory: how many jobs of each key run in which process, and the most ever.

A process writes only its own row; whoever killed it clears that row. So a job's handler, once it
has counted itself, sees at least all that run beside it.
"""

from __future__ import annotations

import mmap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 64


class Turnout:
    """Rows of bytes: [row][key] running now; after them one byte per key, the most it saw."""

    def __init__(self, path: Path, keys: int) -> None:
        size = (ROWS * 2) * keys
        if not path.exists():
            path.write_bytes(bytes(size))
        with path.open("r+b") as file:
            self._cells = mmap.mmap(file.fileno(), size)
        self._keys = keys

    def enter(self, row: int, key: int) -> None:
        """Count one in, and note how many run now."""
        self._cells[row * self._keys + key] += 1
        now = sum(self._cells[each * self._keys + key] for each in range(ROWS))
        most = (ROWS + row) * self._keys + key
        self._cells[most] = max(self._cells[most], now)

    def leave(self, row: int, key: int) -> None:
        self._cells[row * self._keys + key] -= 1

    def clear(self, row: int) -> None:
        """Its process is dead: none of its handlers runs any more."""
        start = row * self._keys
        self._cells[start : start + self._keys] = bytes(self._keys)

    def most(self, first: int = 0, upto: int | None = None) -> int:
        """Return the most that ever ran of one key at once, of all keys or of these."""
        rows = range(ROWS, 2 * ROWS)
        keys = range(first, self._keys if upto is None else upto)
        return max(self._cells[row * self._keys + key] for row in rows for key in keys)
