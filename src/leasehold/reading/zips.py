"""Reads zip files of strangers; documents of office programs are such files."""

from __future__ import annotations

import stat
import struct
import zipfile
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from leasehold.reading.limits import (
    ArchiveLimits,
    ArchiveRefused,
    Meter,
    check_entries,
    check_member_name,
    check_ratio,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 65_536
_DIRECTORY_BYTES = 1_024  # of the directory, for each entry that is allowed
_LOCAL_HEADER = 30
_ENCRYPTED = 0x1
# The others need memory that the archive itself chooses.
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError, ValueError)


class ZipReader:
    """The members of a zip file, all checked before any is unpacked."""

    def __init__(self, archive: zipfile.ZipFile, limits: ArchiveLimits) -> None:
        self._archive = archive
        self._meter = Meter(limits)
        self._members = {each.filename: each for each in archive.infolist()}

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def size(self, name: str) -> int:
        """Return what the archive says of a member's size; no more of it can be read."""
        return self._find(name).file_size

    def pieces(self, name: str) -> Iterator[bytes]:
        """Unpack one member, in pieces of at most 64 KiB; every reading of it is counted."""
        member, unpacked = self._find(name), 0
        with _whole_only(), self._archive.open(member) as opened:
            while piece := opened.read(_PIECE):
                unpacked += len(piece)
                self._meter.add(len(piece), unpacked, member.compress_size)
                yield piece

    def read(self, name: str) -> bytes:
        return b"".join(self.pieces(name))

    def _find(self, name: str) -> zipfile.ZipInfo:
        try:
            return self._members[name]
        except KeyError:
            raise ArchiveRefused("name", f"there is no member {name[:80]!r}") from None


@contextmanager
def open_zip(source: BinaryIO, limits: ArchiveLimits | None = None) -> Iterator[ZipReader]:
    """Open a zip file; `ArchiveRefused` for bombs, traps and what is no zip file."""
    limits = limits or ArchiveLimits()
    with _whole_only():
        bounded = _BoundedSource(source, limits.entries * _DIRECTORY_BYTES + _PIECE + 22)
        archive = zipfile.ZipFile(bounded)
    with archive:
        _check(archive.infolist(), limits)
        yield ZipReader(archive, limits)


class _BoundedSource:
    """Refuses to read a directory that is too large: it would all be in memory at once."""

    def __init__(self, source: BinaryIO, most: int) -> None:
        self._source = source
        self._most = most
        self.seek = source.seek
        self.tell = source.tell
        self.seekable = source.seekable

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(self._most + 1 if size < 0 else min(size, self._most + 1))
        if len(data) > self._most:
            raise ArchiveRefused("entries", "its directory is too large")
        return data


def _check(members: list[zipfile.ZipInfo], limits: ArchiveLimits) -> None:
    check_entries(limits, len(members))
    names: set[str] = set()
    for member in members:
        check_member_name(member.orig_filename, names)
        _check_kind(member)
        if member.file_size > limits.entry_bytes:
            raise ArchiveRefused("size", f"a member of {member.file_size:,} bytes")
        check_ratio(limits, member.file_size, member.compress_size)
    if sum(member.file_size for member in members) > limits.total_bytes:
        raise ArchiveRefused("size", f"over {limits.total_bytes:,} bytes in all")
    _check_overlap(members)


def _check_kind(member: zipfile.ZipInfo) -> None:
    if member.flag_bits & _ENCRYPTED:
        raise ArchiveRefused("encrypted", "a member is encrypted")
    mode = member.external_attr >> 16
    if stat.S_IFMT(mode) not in {0, stat.S_IFREG, stat.S_IFDIR}:
        raise ArchiveRefused("kind", "a member is a link or a device")
    if member.compress_type not in _METHODS:
        raise ArchiveRefused("kind", f"a member is packed by method {member.compress_type}")


def _check_overlap(members: list[zipfile.ZipInfo]) -> None:
    """One packed part under many names makes petabytes of a few megabytes."""
    end = 0
    for member in sorted(members, key=lambda each: each.header_offset):
        if member.header_offset < end:
            raise ArchiveRefused("ratio", "its members lie over each other")
        end = member.header_offset + _LOCAL_HEADER + member.compress_size


@contextmanager
def _whole_only() -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise ArchiveRefused("broken", f"no zip file that can be read: {error}") from error
