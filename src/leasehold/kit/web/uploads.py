"""Takes a file as it comes, piece by piece: the body itself, or the file of a form."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool

from leasehold.web import Refused, make_problem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

PIECE_BYTES = 262_144
FIELD = b"file"


async def receive(request: Request, take: Callable[[bytes], object]) -> str:
    """Hand a request's file over in pieces, in a thread; returns the name that a form gives it."""
    kind, options = parse_options_header(request.headers.get("content-type", ""))
    form = _FormFile(options.get(b"boundary")) if kind == b"multipart/form-data" else None
    pieces = _gathered(request.stream() if form is None else form.pieces(request.stream()))
    async for piece in pieces:
        await run_in_threadpool(take, piece)  # it may go to the disk
    if form is not None and form.name is None:
        raise Refused(make_problem(422, "no-file", "the form has no field `file` with a file"))
    return "" if form is None or form.name is None else form.name


async def _gathered(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Make few larger pieces of many small ones."""
    held = bytearray()
    async for piece in pieces:
        held += piece
        if len(held) >= PIECE_BYTES:
            yield bytes(held)
            held.clear()
    if held:
        yield bytes(held)


class _FormFile:
    """Finds the first file of a form's field `file`; everything else of the form is let pass."""

    def __init__(self, boundary: bytes | None) -> None:
        if not boundary:
            raise _unreadable()
        self.name: str | None = None
        self._is_wanted = False
        self._is_whole = False  # the last boundary has come: else the sender broke off
        self._headers: dict[bytes, bytes] = {}
        self._header = [b"", b""]
        self._found: list[bytes] = []
        callbacks: Any = {
            "on_part_begin": self._headers.clear,
            "on_header_field": lambda data, start, end: self._add(0, data[start:end]),
            "on_header_value": lambda data, start, end: self._add(1, data[start:end]),
            "on_header_end": self._end_header,
            "on_headers_finished": self._begin_part,
            "on_part_data": self._take,
            "on_part_end": self._end_part,
            "on_end": self._end,
        }
        self._parser = MultipartParser(boundary, callbacks)

    async def pieces(self, body: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        try:
            async for piece in body:
                self._parser.write(piece)
                while self._found:
                    yield self._found.pop(0)
            if not self._is_whole:
                raise _unreadable()
        except FormParserError as error:
            raise _unreadable() from error

    def _add(self, part: int, data: bytes) -> None:
        self._header[part] += data

    def _end_header(self) -> None:
        name, value = self._header
        self._headers[name.lower()] = value
        self._header = [b"", b""]

    def _begin_part(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        if options.get(b"name") == FIELD and b"filename" in options and self.name is None:
            self.name = unquote(options[b"filename"].decode("utf-8", "replace"))
            self._is_wanted = True

    def _end_part(self) -> None:
        self._is_wanted = False

    def _end(self) -> None:
        self._is_whole = True

    def _take(self, data: bytes, start: int, end: int) -> None:
        if self._is_wanted:
            self._found.append(data[start:end])


def _unreadable() -> Refused:
    return Refused(make_problem(400, "bad-request", "the form can't be read"))
