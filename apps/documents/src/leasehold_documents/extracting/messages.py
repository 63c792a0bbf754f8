"""What an engine asks of a parser's process, and how that answers: never pickle.

An answer is a row of frames: four bytes that say how long, and a message.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO, TypeAlias

import msgspec

from leasehold_documents.extracting.elements import Page, PageRange

_LENGTH = struct.Struct(">I")


class Inspect(msgspec.Struct, frozen=True, tag=True):
    """Count the pages."""

    media_type: str
    password: str | None = None


class Parse(msgspec.Struct, frozen=True, tag=True):
    """Read the text."""

    media_type: str
    password: str | None = None
    pages: PageRange | None = None


class Render(msgspec.Struct, frozen=True, tag=True):
    """Draw one page and run a program that reads the picture; what it says is the answer."""

    media_type: str
    page: int
    command: list[str]
    password: str | None = None


class Cut(msgspec.Struct, frozen=True, tag=True):
    """Make a file that needs no password: of a PDF, of some of its pages only."""

    media_type: str
    password: str | None = None
    pages: PageRange | None = None


Request: TypeAlias = Inspect | Parse | Render | Cut


class Pages(msgspec.Struct, frozen=True, tag=True):
    pages: list[Page]
    total: int  # pages of the file, so that progress can be told


class Counted(msgspec.Struct, frozen=True, tag=True):
    pages: int


class Piece(msgspec.Struct, frozen=True, tag=True):
    data: bytes


class Refused(msgspec.Struct, frozen=True, tag=True):
    code: str
    reason: str


class Exceeded(msgspec.Struct, frozen=True, tag=True):
    """It went over its memory."""


class Unbounded(msgspec.Struct, frozen=True, tag=True):
    """The process could not be confined, so it has done nothing."""

    reason: str


Said: TypeAlias = Pages | Counted | Piece | Refused | Exceeded | Unbounded
_said: msgspec.msgpack.Decoder[Said] = msgspec.msgpack.Decoder(Said)
_request: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)


def pack(request: Request) -> bytes:
    return msgspec.msgpack.encode(request)


def unpack(data: bytes) -> Request:
    return _request.decode(data)


def write(sink: BinaryIO, said: Said) -> None:
    data = msgspec.msgpack.encode(said)
    sink.write(_LENGTH.pack(len(data)) + data)
    sink.flush()


def frames(source: BinaryIO, *, limit: int) -> Iterator[Said]:
    """Read what was said; `ValueError` or `msgspec.MsgspecError` for what is no such thing."""
    total = 0
    while head := source.read(_LENGTH.size):
        if len(head) < _LENGTH.size:
            return  # it died while it wrote
        (size,) = _LENGTH.unpack(head)
        total += size
        if total > limit:
            raise ValueError(f"an answer of over {limit:,} bytes")
        data = source.read(size)
        if len(data) < size:
            return
        yield _said.decode(data)
