"""What a child does with its one file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, assert_never

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting.elements import Page
from leasehold_documents.extracting.messages import (
    Counted,
    Cut,
    Inspect,
    Pages,
    Parse,
    Render,
    Request,
    Said,
)
from leasehold_documents.extracting.parsers import load_all, parser_of

_PAGES_AT_ONCE = 25
_MOST_CHARACTERS = 50_000_000

load_parsers = load_all


def carry_out(request: Request, source: BinaryIO, _sink: BinaryIO) -> Iterator[Said]:
    """Do what was asked; `Rejected` when the file will never do."""
    match request:
        case Inspect(media_type, password):
            yield _count(source, Parse(media_type, password))
        case Parse():
            yield from _read(source, request)
        case Render():
            raise NotImplementedError
        case Cut():
            raise NotImplementedError
        case _:
            assert_never(request)


def _count(source: BinaryIO, asked: Parse) -> Counted:
    return Counted(parser_of(asked.media_type)(source, asked).total)


def _read(source: BinaryIO, asked: Parse) -> Iterator[Pages]:
    read = parser_of(asked.media_type)(source, asked)
    left = _MOST_CHARACTERS
    while pages := list(islice(read.pages, _PAGES_AT_ONCE)):
        left -= _characters(pages)
        if left < 0:
            raise Rejected("TEXT_TOO_LONG", f"over {_MOST_CHARACTERS:,} characters of text")
        yield Pages(pages, read.total)


def _characters(pages: list[Page]) -> int:
    return sum(len(block.text) for page in pages for block in page.blocks)
