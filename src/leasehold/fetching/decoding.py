"""Unpacks a body piece by piece, so that no more is in memory than a piece."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from leasehold.fetching.errors import BadAnswer

if TYPE_CHECKING:
    from collections.abc import Iterator

OFFERED = "gzip, deflate"
_PIECE = 65_536
_MOST_MEMBERS = 16  # of one gzip body; each costs a copy of the rest
_GZIP, _ZLIB, _RAW = 31, 15, -15
_ZLIB_METHOD = 8
_PLAIN = frozenset({"", "identity"})


class Decoder:
    """One layer of gzip or deflate, or none; anything else is refused."""

    def __init__(self, url: str, encoding: str) -> None:
        self._url = url
        self._name = encoding.strip().lower().removeprefix("x-")
        if self._name not in {*_PLAIN, "gzip", "deflate"}:
            raise BadAnswer(url, f"its encoding {encoding[:40]!r} was not offered")
        self._unpacker: zlib._Decompress | None = None
        self._members = 0

    def decode(self, data: bytes) -> Iterator[bytes]:
        if self._name in _PLAIN:
            yield data
            return
        try:
            yield from self._unpack(data)
        except zlib.error as error:
            raise BadAnswer(self._url, f"its body is no {self._name}: {error}") from error

    def finish(self) -> Iterator[bytes]:
        """Give what is left, and refuse a packed body that ends in the middle."""
        if self._unpacker is None:
            return
        while not self._unpacker.eof:
            piece = self._unpacker.decompress(b"", _PIECE)
            if not piece:
                raise BadAnswer(self._url, f"its {self._name} body ends in the middle")
            yield piece

    def _unpack(self, data: bytes) -> Iterator[bytes]:
        while data:
            unpacker = self._unpacker_for(data)
            if unpacker is None:
                return
            piece = unpacker.decompress(data, _PIECE)
            if piece:
                yield piece
            data = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail

    def _unpacker_for(self, data: bytes) -> zlib._Decompress | None:
        """Return what reads on; None where a body has ended and only padding follows."""
        if self._unpacker is not None and not self._unpacker.eof:
            return self._unpacker
        if self._members and (self._name == "deflate" or data[:1] == b"\0"):
            return None
        self._members += 1
        if self._members > _MOST_MEMBERS:
            raise BadAnswer(self._url, f"its body has over {_MOST_MEMBERS} packed parts")
        self._unpacker = zlib.decompressobj(_window(self._name, data))
        return self._unpacker


def _window(name: str, data: bytes) -> int:
    """Deflate means zlib by the standard, and the bare stream to many servers."""
    if name == "gzip":
        return _GZIP
    return _ZLIB if data[0] & 0x0F == _ZLIB_METHOD else _RAW
