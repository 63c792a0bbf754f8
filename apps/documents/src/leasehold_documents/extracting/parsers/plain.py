"""Texts, tables of separated values and Markdown; a page is as much as fits on one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from leasehold_documents.extracting import kinds
from leasehold_documents.extracting.bounds import refuse_long
from leasehold_documents.extracting.decoding import decode
from leasehold_documents.extracting.elements import Block, Page
from leasehold_documents.extracting.messages import Parse
from leasehold_documents.extracting.parsers import Read
from leasehold_documents.extracting.tidying import tidy
from leasehold_documents.extracting.wording import type_of

PAGE_CHARACTERS = 3_000
_PARAGRAPHS = re.compile(r"\n[ \t]*\n\s*|\f")
_HEADING = re.compile(r"#{1,6}[ \t]+(.+?)[ \t#]*\Z")
_LINES_OF_TABLE = 20


def parse(source: BinaryIO, asked: Parse) -> Read:
    text = decode(source.read()).replace("\r\n", "\n").replace("\r", "\n")
    refuse_long(len(text))
    if asked.media_type == kinds.CSV.media_type:
        blocks = _rows(text)
    elif asked.media_type == kinds.MARKDOWN.media_type:
        blocks = _marked(text)
    else:
        blocks = paragraphs(text)
    return read(paged(blocks), asked)


def paragraphs(text: str) -> Iterator[Block]:
    for paragraph in _PARAGRAPHS.split(text):
        tidied = tidy(paragraph)
        if tidied:
            yield Block(type_of(tidied), tidied)


def paged(blocks: Iterable[Block]) -> list[Page]:
    """Share out what has no pages of its own, so that it has a price and a place."""
    pages: list[Page] = []
    page: list[Block] = []
    filled = 0
    for block in (piece for whole in blocks for piece in _halved(whole)):
        if page and filled + len(block.text) > PAGE_CHARACTERS:
            pages.append(Page(len(pages) + 1, page))
            page, filled = [], 0
        page.append(block)
        filled += len(block.text)
    return [*pages, Page(len(pages) + 1, page)]


def read(pages: list[Page], asked: Parse) -> Read:
    """Keep the pages that were asked for."""
    first, last = asked.pages or (1, len(pages))
    return Read(len(pages), iter(pages[first - 1 : last]))


def _halved(block: Block) -> Iterator[Block]:
    """Cut what is longer than a page, at a space if there is one."""
    text, start = block.text, 0
    while len(text) - start > PAGE_CHARACTERS:
        end = start + PAGE_CHARACTERS
        at = max(text.rfind(" ", start, end), text.rfind("\n", start, end))
        at = at if at > start + PAGE_CHARACTERS // 2 else end
        yield Block(block.type, text[start:at].strip())
        start = at
    last = text[start:].strip()
    if last:
        yield Block(block.type, last)


def _rows(text: str) -> Iterator[Block]:
    lines = [line for line in text.split("\n") if line.strip()]
    for at in range(0, len(lines), _LINES_OF_TABLE):
        table = tidy("\n".join(lines[at : at + _LINES_OF_TABLE]))
        if table:
            yield Block("Table", table)


def _marked(text: str) -> Iterator[Block]:
    for block in paragraphs(re.sub(r"^(#{1,6} .*)$", r"\n\1\n", text, flags=re.MULTILINE)):
        heading = _HEADING.match(block.text)
        yield Block("Title", heading[1]) if heading else block
