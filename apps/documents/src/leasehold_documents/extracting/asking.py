"""Asks confined processes about files, and judges how they end: two crashes are the file's."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

import leasehold as lh
from leasehold_documents.errors import ParserCrashed, Rejected
from leasehold_documents.extracting.bounds import Bounds
from leasehold_documents.extracting.children import Children
from leasehold_documents.extracting.messages import (
    Exceeded,
    Refused,
    Render,
    Request,
    Said,
    Unbounded,
    frames,
)

T = TypeVar("T")
_TRIES = 2
_TABLE = b"level\t"  # how a program's own answer begins


class Asking:
    """Any thread may ask; `close` ends the processes."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self._children = Children(bounds)
        self._limit = self._children.bounds.answer_bytes

    def hear(self, request: Request, path: Path, tell: Callable[[Said], None]) -> list[Said]:
        """Return all that was said; each is told as it comes, and again if it crashed between."""
        return self._tried(request, path, lambda answer: self._frames(answer, tell))

    def table(self, request: Render, path: Path) -> bytes:
        """Return what the program has said."""
        return self._tried(request, path, self._whole)

    def close(self) -> None:
        self._children.close()

    def _tried(self, request: Request, path: Path, read: Callable[[BinaryIO], T]) -> T:
        for left in reversed(range(_TRIES)):
            try:
                with self._children.ask(request, path) as answer:
                    result = read(answer)
            except ParserCrashed as error:
                if left == 0 or error.is_limit:
                    raise Rejected("PARSER_CRASH", f"reading it failed: {error}") from error
            else:
                return result
        raise AssertionError("unreachable")

    def _frames(self, answer: BinaryIO, tell: Callable[[Said], None]) -> list[Said]:
        heard: list[Said] = []
        for said in _decoded(answer, self._limit):
            _refuse(said)
            heard.append(said)
            tell(said)
        return heard

    def _whole(self, answer: BinaryIO) -> bytes:
        data = answer.read(self._limit)
        if data and not data.startswith(_TABLE):
            self._frames(io.BytesIO(data), lambda _: None)
        return data


def _decoded(answer: BinaryIO, limit: int) -> Iterator[Said]:
    """What a hostile file may have made of its reader is no proper answer, and nothing more."""
    try:
        yield from frames(answer, limit=limit)
    except (ValueError, msgspec.MsgspecError) as error:
        raise ParserCrashed("its process gave no proper answer") from error


def _refuse(said: Said) -> None:
    match said:
        case Refused(code, reason):
            raise Rejected(code, reason)
        case Exceeded():
            raise ParserCrashed("it needs more memory than is allowed", is_limit=True)
        case Unbounded(reason):
            raise lh.NoSandbox(f"no file is read, since its process can't be bounded: {reason}")
        case _:
            pass
