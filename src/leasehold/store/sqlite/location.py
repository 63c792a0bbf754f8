"""Where the file is, and whether SQLite can keep its promises there."""

from __future__ import annotations

import ctypes
import os
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from leasehold.errors import BadOption, StoreRefused

PREFIX = "sqlite:///"
OLDEST_SQLITE = (3, 40, 0)

# From statfs(2) and the kernel's magic.h. The locks and the shared memory of SQLite's WAL do not
# work between the machines that share one of these.
NETWORK_FILESYSTEMS = {
    0x6969: "nfs",
    0x517B: "smb",
    0xFF534D42: "cifs",
    0xFE534D42: "smb2",
    0x01021997: "9p",
    0x00C36400: "ceph",
    0x0BD00BD0: "lustre",
    0x5346414F: "afs",
    0x6B414653: "afs",
    0x73757245: "coda",
    0x564C: "ncp",
    0x01161970: "gfs2",
    0x7461636F: "ocfs2",
    0x47504653: "gpfs",
    0xAAD7AAEA: "panfs",
    0x786F4256: "vboxsf",
}
LOCAL_FILESYSTEMS = {
    0xEF53: "ext4",
    0x58465342: "xfs",
    0x9123683E: "btrfs",
    0x2FC12FC1: "zfs",
    0xF2F52010: "f2fs",
    0x01021994: "tmpfs",
    0x794C7630: "overlayfs",
    0x65735546: "fuse",
}
MEMORY_FILESYSTEMS = frozenset({"tmpfs"})
UNSURE_FILESYSTEMS = frozenset({"fuse"})  # sshfs or a local disk: the number does not tell

ReadMagic = Callable[[str], int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """One database file and the files that stand beside it."""

    path: str

    @property
    def folder(self) -> str:
        return str(Path(self.path).parent)

    @property
    def wal(self) -> str:
        return self.path + "-wal"

    @property
    def lock(self) -> str:
        return self.path + "-lock"


def parse(url: str) -> Location:
    """Read `sqlite:///relative.db` or `sqlite:////absolute.db`."""
    if not url.startswith(PREFIX):
        raise BadOption(f"{url!r} is not a SQLite URL: write {PREFIX}path/to/file.db")
    path, _, options = url.removeprefix(PREFIX).partition("?")
    if options:
        raise BadOption(f"{url!r}: a SQLite URL takes no options, got {options!r}")
    if path in {"", ":memory:"} or path.startswith("file:"):
        raise StoreRefused(
            f"{url!r}: a queue needs a file, since its workers use several connections; "
            f"write {PREFIX}path/to/file.db"
        )
    # Through a symbolic link SQLite would use the target's WAL: so must our lock and our watch.
    return Location(path=os.path.realpath(path))


def check(location: Location, read_magic: ReadMagic) -> None:
    """Raise `StoreRefused` where acknowledged jobs could be lost."""
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        wanted = ".".join(map(str, OLDEST_SQLITE[:2]))
        raise StoreRefused(
            f"Python here has SQLite {sqlite3.sqlite_version}; leasehold needs {wanted} or newer"
        )
    if not Path(location.folder).is_dir():
        raise StoreRefused(f"the folder {location.folder} does not exist: make it first")
    name = NETWORK_FILESYSTEMS.get(read_magic(location.folder) or 0)
    if name is not None:
        raise StoreRefused(
            f"{location.path} is on a network file system ({name}), where SQLite can lose data; "
            "put the file on a local disk, or use PostgreSQL"
        )


def name_filesystem(location: Location, read_magic: ReadMagic) -> str | None:
    """Name the file system, or None when the system does not say."""
    magic = read_magic(location.folder)
    if magic is None:
        return None
    known = NETWORK_FILESYSTEMS | LOCAL_FILESYSTEMS
    return known.get(magic, f"{magic:#x}")


def read_magic(folder: str) -> int | None:
    """Ask the kernel for the file system's number; None where there is no such question."""
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None, use_errno=True)
    answer = ctypes.create_string_buffer(256)  # struct statfs begins with f_type, a long
    if libc.statfs(os.fsencode(folder), answer) != 0:
        return None
    return int.from_bytes(answer.raw[: ctypes.sizeof(ctypes.c_long)], sys.byteorder) & 0xFFFFFFFF
