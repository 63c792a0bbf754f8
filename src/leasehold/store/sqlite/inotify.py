"""Linux tells when a file is written to or opened."""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from pathlib import Path

_IN_MODIFY = 0x2
_IN_OPEN = 0x20
_EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name that follows
_READ_BYTES = 64 * 1024


class FileWatch:
    """Says whether the log was written to, or the bell opened, since the last time it was asked.

    The log need not be there: its folder is watched, whose other files do not count. The bell is
    made if it is missing.
    """

    def __init__(self, log: str, bell: str) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor: int = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise _os_error()
        try:
            folder = self._add(str(Path(log).parent), _IN_MODIFY)
            os.close(os.open(bell, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o644))
            self._heard = {(folder, os.fsencode(Path(log).name)), (self._add(bell, _IN_OPEN), b"")}
        except OSError:
            self.close()
            raise

    def fileno(self) -> int:
        return self._descriptor

    def was_heard(self) -> bool:
        """Take all events there are."""
        found = False
        while events := self._read():
            found = found or not self._heard.isdisjoint(_parse(events))
        return found

    def close(self) -> None:
        os.close(self._descriptor)

    def _add(self, path: str, mask: int) -> int:
        watch: int = self._libc.inotify_add_watch(self._descriptor, os.fsencode(path), mask)
        if watch < 0:
            raise _os_error()
        return watch

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, _READ_BYTES)
        except BlockingIOError:
            return b""


def open_watch(log: str, bell: str) -> FileWatch | None:
    """Watch these files, or None where the system can't or has no watches left."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        return FileWatch(log, bell)
    except OSError:
        return None


def _parse(events: bytes) -> set[tuple[int, bytes]]:
    found, offset = set(), 0
    while offset < len(events):
        watch, _, _, length = _EVENT.unpack_from(events, offset)
        offset += _EVENT.size
        found.add((watch, events[offset : offset + length].rstrip(b"\0")))
        offset += length
    return found


def _os_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
