"""Unpacks gzip, piece by piece and bounded."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, BinaryIO

from leasehold.reading.limits import ArchiveLimits, ArchiveRefused, Meter, check_entries

if TYPE_CHECKING:
    from collections.abc import Iterator

_PIECE = 65_536
_GZIP = 31


def gunzip(source: BinaryIO, limits: ArchiveLimits | None = None) -> Iterator[bytes]:
    """Give what a gzip file holds, in pieces of at most 64 KiB; its members count as entries."""
    limits = limits or ArchiveLimits()
    meter = Meter(limits)
    unpacker, members, packed, unpacked = zlib.decompressobj(_GZIP), 1, 0, 0
    data = b""
    while True:
        if not data:
            data = source.read(_PIECE)
            packed += len(data)
        piece = _unpack(unpacker, data)
        if piece:
            unpacked += len(piece)
            meter.add(len(piece), unpacked, packed)
            yield piece
        if unpacker.eof:
            data = unpacker.unused_data.lstrip(b"\0") or source.read(_PIECE).lstrip(b"\0")
            if not data:
                return
            packed += len(data)
            members += 1
            check_entries(limits, members)
            unpacker = zlib.decompressobj(_GZIP)
        elif not data and not piece:
            raise ArchiveRefused("broken", "the gzip file ends in the middle")
        else:
            data = unpacker.unconsumed_tail


def _unpack(unpacker: zlib._Decompress, data: bytes) -> bytes:
    try:
        return unpacker.decompress(data, _PIECE)
    except zlib.error as error:
        raise ArchiveRefused("broken", f"no gzip: {error}") from error
