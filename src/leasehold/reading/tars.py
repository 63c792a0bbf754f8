"""Reads tar files of strangers, packed by gzip or not."""

from __future__ import annotations

import tarfile
import tempfile
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO

from leasehold.reading.gzips import gunzip
from leasehold.reading.limits import (
    ArchiveLimits,
    ArchiveRefused,
    Meter,
    check_entries,
    check_member_name,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 65_536  # no header is larger either: it would all be in memory
_HEADERS = 2_048  # of a member: its own, and one for a long name
_GZIP_MAGIC = b"\x1f\x8b"
_IN_MEMORY = 1_048_576
_BROKEN = (tarfile.TarError, EOFError, ValueError, RecursionError, OverflowError, KeyError)


class TarReader:
    """The members of a tar file, in its order. Only files and folders; links are refused."""

    def __init__(self, archive: tarfile.TarFile, limits: ArchiveLimits) -> None:
        self._archive = archive
        self._limits = limits

    def members(self) -> Iterator[tuple[str, Iterator[bytes]]]:
        """Give each file's name and its content, in pieces of at most 64 KiB."""
        meter, names = Meter(self._limits), set[str]()
        with _whole_only():
            while (member := self._archive.next()) is not None:
                check_member_name(member.name, names)
                check_entries(self._limits, len(names))
                if _is_file(member):
                    yield member.name, self._pieces(member, meter)

    def _pieces(self, member: tarfile.TarInfo, meter: Meter) -> Iterator[bytes]:
        if member.size > self._limits.entry_bytes:
            raise ArchiveRefused("size", f"a member of {member.size:,} bytes")
        unpacked = 0
        with _whole_only():
            opened = self._archive.extractfile(member)
            while opened is not None and (piece := opened.read(_PIECE)):
                unpacked += len(piece)
                meter.add(len(piece), unpacked, unpacked)
                yield piece


@contextmanager
def open_tar(source: BinaryIO, limits: ArchiveLimits | None = None) -> Iterator[TarReader]:
    """Open a tar file; what gzip hides is unpacked into a temporary file first, bounded."""
    limits = limits or ArchiveLimits()
    start = source.tell()
    is_packed = source.read(2) == _GZIP_MAGIC
    source.seek(start)
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as spool:
        if is_packed:
            for piece in gunzip(source, _of_the_whole(limits)):
                spool.write(piece)
            spool.seek(0)
        with _whole_only():
            bounded = _BoundedSource(spool if is_packed else source)  # type: ignore[arg-type]  # binary
            archive = tarfile.TarFile(fileobj=bounded)  # type: ignore[arg-type]  # reads, seeks and tells
        with archive:
            yield TarReader(archive, limits)


def _of_the_whole(limits: ArchiveLimits) -> ArchiveLimits:
    """Bound the packed file: all members, their headers and the padding at the end."""
    total = limits.total_bytes + limits.entries * _HEADERS + _PIECE
    return replace(limits, total_bytes=total, entry_bytes=total)


class _BoundedSource:
    """Refuses large reads: only headers ask for more than we do."""

    mode = "rb"

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self.seek = source.seek
        self.tell = source.tell

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= _PIECE:
            raise ArchiveRefused("size", "a header that is too large")
        return self._source.read(size)


def _is_file(member: tarfile.TarInfo) -> bool:
    if not (member.isreg() or member.isdir()) or member.issparse():
        raise ArchiveRefused("kind", "a member is a link, a device or sparse")
    return member.isreg()


@contextmanager
def _whole_only() -> Iterator[None]:
    try:
        yield
    except _BROKEN as error:
        raise ArchiveRefused("broken", f"no tar file that can be read: {error}") from error
