"""What a child does with its one file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, NamedTuple, assert_never

from leasehold_documents.extracting import drawing, kinds
from leasehold_documents.extracting.bounds import refuse_long
from leasehold_documents.extracting.elements import Page
from leasehold_documents.extracting.guarding import check
from leasehold_documents.extracting.messages import (
    Counted,
    Cut,
    Inspect,
    Pages,
    Parse,
    Piece,
    Render,
    Request,
    Said,
)
from leasehold_documents.extracting.parsers import load_all, parser_of
from leasehold_documents.extracting.parsers.pdf import cut
from leasehold_documents.extracting.sniffing import sniff
from leasehold_documents.extracting.unlocking import unlocked

_PAGES_AT_ONCE = 25
_PIECE = 1_048_576

load_parsers = load_all


class Opened(NamedTuple):
    source: BinaryIO
    media_type: str


def carry_out(request: Request, source: BinaryIO, sink: BinaryIO) -> Iterator[Said]:
    """Do what was asked; `Rejected` when the file will never do."""
    match request:
        case Inspect(media_type, password):
            yield _count(source, Parse(media_type, password))
        case Parse():
            yield from _read(source, request)
        case Render(media_type, page, command, password):
            opened = _open(source, media_type, password)
            picture = drawing.draw(opened.source, opened.media_type, page, password)
            drawing.show(picture, command, sink)
        case Cut(media_type, password, pages):
            is_pdf = media_type == kinds.PDF.media_type
            plain = _open(source, media_type, password).source
            yield from _pieces(cut(plain, password, pages) if is_pdf else plain.read())
        case _:
            assert_never(request)


def _open(source: BinaryIO, media_type: str, password: str | None) -> Opened:
    """Unlock what is locked, and refuse traps, which may be behind a lock, too."""
    if media_type == kinds.ENCRYPTED_OFFICE.media_type:
        source = unlocked(source, password)
        media_type = sniff(source).media_type
    check(source, media_type)
    return Opened(source, media_type)


def _count(source: BinaryIO, asked: Parse) -> Counted:
    opened = _open(source, asked.media_type, asked.password)
    asked = Parse(opened.media_type, asked.password)
    return Counted(parser_of(opened.media_type)(opened.source, asked).total)


def _read(source: BinaryIO, asked: Parse) -> Iterator[Pages]:
    opened = _open(source, asked.media_type, asked.password)
    asked = Parse(opened.media_type, asked.password, asked.pages)
    read = parser_of(opened.media_type)(opened.source, asked)
    characters = 0
    while pages := list(islice(read.pages, _PAGES_AT_ONCE)):
        characters += _characters(pages)
        refuse_long(characters)
        yield Pages(pages, read.total)


def _characters(pages: list[Page]) -> int:
    return sum(len(block.text) for page in pages for block in page.blocks)


def _pieces(data: bytes) -> Iterator[Piece]:
    for at in range(0, len(data), _PIECE):
        yield Piece(data[at : at + _PIECE])
