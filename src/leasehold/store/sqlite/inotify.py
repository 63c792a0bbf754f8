"""Linux tells when a file in a folder is written to."""

from __future__ import annotations

import ctypes
import os
import struct
import sys

_IN_MODIFY = 0x2
_EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name that follows
_READ_BYTES = 64 * 1024


class FolderWatch:
    """Says whether a named file has been written to since the last time it was asked."""

    def __init__(self, folder: str, file_name: str) -> None:
        self._name = os.fsencode(file_name)
        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor: int = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._descriptor < 0:
            raise _os_error()
        if libc.inotify_add_watch(self._descriptor, os.fsencode(folder), _IN_MODIFY) < 0:
            error = _os_error()
            self.close()
            raise error

    def fileno(self) -> int:
        return self._descriptor

    def was_written(self) -> bool:
        """Take all events there are; other files of the folder do not count."""
        found = False
        while events := self._read():
            found = found or self._name in _names(events)
        return found

    def close(self) -> None:
        os.close(self._descriptor)

    def _read(self) -> bytes:
        try:
            return os.read(self._descriptor, _READ_BYTES)
        except BlockingIOError:
            return b""


def open_watch(folder: str, file_name: str) -> FolderWatch | None:
    """Watch a folder, or None where the system can't or has no watches left."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        return FolderWatch(folder, file_name)
    except OSError:
        return None


def _names(events: bytes) -> set[bytes]:
    names, offset = set(), 0
    while offset < len(events):
        length = _EVENT.unpack_from(events, offset)[3]
        offset += _EVENT.size
        names.add(events[offset : offset + length].rstrip(b"\0"))
        offset += length
    return names


def _os_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
