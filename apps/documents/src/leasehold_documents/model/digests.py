"""The check sums by which clouds name a file's content, computed while it comes in."""

from __future__ import annotations

import base64
import hashlib
from typing import Protocol

_BLOCK = 4 * 1_048_576  # of Dropbox's hash
_WIDTH = 160  # bits of Microsoft's hash; its pattern repeats after as many bytes
_SHIFT = 11
_MASK = (1 << _WIDTH) - 1


class Digest(Protocol):
    """Takes the content piece by piece."""

    def update(self, piece: bytes, /) -> None: ...

    def text(self) -> str:
        """Return it as the cloud writes it."""
        ...


class Plain:
    """A hash of Python's, in hex digits."""

    def __init__(self, name: str) -> None:
        self._hash = hashlib.new(name, usedforsecurity=False)

    def update(self, piece: bytes, /) -> None:
        self._hash.update(piece)

    def text(self) -> str:
        return self._hash.hexdigest()


class DropboxHash:
    """SHA-256 over the SHA-256 of each block of 4 MB."""

    def __init__(self) -> None:
        self._whole = hashlib.sha256()
        self._block = hashlib.sha256()
        self._room = _BLOCK

    def update(self, piece: bytes, /) -> None:
        rest = memoryview(piece)
        while rest:
            now, rest = rest[: self._room], rest[self._room :]
            self._block.update(now)
            self._room -= len(now)
            if not self._room:
                self._end_block()

    def text(self) -> str:
        whole = self._whole.copy()
        if self._room < _BLOCK:
            whole.update(self._block.digest())
        return whole.hexdigest()

    def _end_block(self) -> None:
        self._whole.update(self._block.digest())
        self._block = hashlib.sha256()
        self._room = _BLOCK


class QuickXor:
    """Each byte is XORed in 11 bits further on, round and round; at last the length.

    The places repeat every 160 bytes, so that the content is folded to that many first: as one
    large number that is quick, byte by byte it would take minutes.
    """

    def __init__(self) -> None:
        self._folded = 0
        self._length = 0

    def update(self, piece: bytes, /) -> None:
        begin = self._length % _WIDTH
        self._length += len(piece)
        number = int.from_bytes(piece, "little") << (8 * begin)
        self._folded ^= _fold(number, begin + len(piece))

    def text(self) -> str:
        state = 0
        for place, byte in enumerate(self._folded.to_bytes(_WIDTH, "little")):
            state ^= _rotated(byte, _SHIFT * place % _WIDTH)
        state ^= self._length << (_WIDTH - 64)
        return base64.b64encode(state.to_bytes(_WIDTH // 8, "little")).decode()


def _fold(number: int, length: int) -> int:
    """XOR all pieces of 160 bytes of a number, by halves."""
    pieces = -(-length // _WIDTH)
    while pieces > 1:
        half = -(-pieces // 2)
        bits = 8 * _WIDTH * half
        number = (number >> bits) ^ (number & ((1 << bits) - 1))
        pieces = half
    return number


def _rotated(byte: int, places: int) -> int:
    wide = byte << places
    return (wide & _MASK) ^ (wide >> _WIDTH)


def digest_named(name: str) -> Digest:
    """Make one by its name: `dropbox`, `quickxor`, or one of Python's."""
    match name:
        case "dropbox":
            return DropboxHash()
        case "quickxor":
            return QuickXor()
        case _:
            return Plain(name)


def digest_of(name: str, content: bytes) -> str:
    """Compute one of content that is there."""
    digest = digest_named(name)
    digest.update(content)
    return digest.text()
