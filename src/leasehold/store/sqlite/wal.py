"""The write-ahead log's own file: how much of it is in use, and whether the disk has it.

The file's size does not tell: after a checkpoint it is written again from the start and keeps its
size. But each frame carries the salt of the round it was written in, and the header that of the
present round: a frame with the header's salt is in use. (The -shm file would say more, but closing
a descriptor of it would drop SQLite's locks on it. The WAL has no locks.)
"""

from __future__ import annotations

import os
from pathlib import Path

LONG_BYTES = 16 * 1024 * 1024
# Whether a commit's wait for the disk can be ours, after the lock; else it is SQLite's, under it.
SYNCS_APART = hasattr(os, "fdatasync")

_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
_PAGE_SIZE = slice(8, 12)
_SALT = slice(16, 24)
_FRAME_SALT = slice(8, 16)


class WalMeter:
    """Used by one thread at a time, while a connection is open that keeps the file alive."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor: int | None = None
        self._salt = b""
        self._checked_frames = 0

    def is_long(self, threshold_bytes: int = LONG_BYTES) -> bool:
        """Whether over `threshold_bytes` were written since the last checkpoint or round."""
        header = self._read(0, _HEADER_BYTES)
        if len(header) < _HEADER_BYTES:
            return False
        if header[_SALT] != self._salt:
            self._salt, self._checked_frames = header[_SALT], 0
        frame_bytes = int.from_bytes(header[_PAGE_SIZE], "big") + _FRAME_HEADER_BYTES
        number = self._checked_frames + threshold_bytes // frame_bytes
        frame = self._read(_HEADER_BYTES + number * frame_bytes, _FRAME_HEADER_BYTES)
        return frame[_FRAME_SALT] == self._salt

    def note_checkpoint(self, frames: int) -> None:
        """Measure from here on: a reader may keep the log from starting a new round."""
        self._checked_frames = max(0, frames)

    def lend(self) -> int | None:
        """Give away a descriptor of the log, for `sync`; None while nothing was ever written."""
        descriptor = self._open()
        return None if descriptor is None else os.dup(descriptor)

    def size_bytes(self) -> int:
        path = Path(self._path)
        return path.stat().st_size if path.exists() else 0

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)

    def _read(self, offset: int, length: int) -> bytes:
        descriptor = self._open()
        return b"" if descriptor is None else os.pread(descriptor, length, offset)

    def _open(self) -> int | None:
        if self._descriptor is None and Path(self._path).exists():
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        return self._descriptor


def sync(descriptor: int) -> None:
    """Wait until the disk has all that was written to the log so far, whoever wrote it."""
    try:
        os.fdatasync(descriptor)
    finally:
        os.close(descriptor)
