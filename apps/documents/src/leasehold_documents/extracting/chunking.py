"""Pieces of a document that are searched: never over 1,000 characters, never over a page's end."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import msgspec

from leasehold_documents.extracting.elements import Element
from leasehold_documents.extracting.personal import personal_kinds

LONGEST = 1_000
OVERLAP = 100
_ENOUGH = 300  # characters, after which a heading begins a chunk of its own
_BREAKS = re.compile(r"\s+")


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """One row of `document_chunks`."""

    index: int
    page_number: int | None
    element_type: str
    text: str
    metadata: dict[str, Any]


class Passage(msgspec.Struct):
    """Elements of one page that make one chunk."""

    elements: list[Element]
    text: str = ""

    def takes(self, element: Element) -> bool:
        if not self.elements:
            return True
        tables = {self.elements[-1].type == "Table", element.type == "Table"}
        is_new_part = element.type == "Title" and len(self.text) >= _ENOUGH
        fits = len(self.text) + 1 + len(element.text) <= LONGEST
        return fits and tables == {False} and not is_new_part

    def add(self, element: Element) -> None:
        self.elements.append(element)
        self.text = f"{self.text}\n{element.text}" if self.text else element.text


def chunks_of(elements: Iterable[Element]) -> list[Chunk]:
    """Cut and join elements; the same elements always give the same chunks."""
    chunks: list[Chunk] = []
    for page, on_page in groupby(elements, key=lambda element: element.page_number):
        for passage in _passages(on_page):
            for text in _cut(passage.text):
                chunks.append(_chunk(len(chunks), page, passage, text))
    return chunks


def _passages(elements: Iterable[Element]) -> Iterator[Passage]:
    passage = Passage([])
    for element in elements:
        if not element.text.strip():
            continue
        if not passage.takes(element):
            yield passage
            passage = Passage([])
        passage.add(element)
    if passage.elements:
        yield passage


def _cut(text: str) -> Iterator[str]:
    """Cut at spaces; each piece begins with the end of the one before."""
    start = 0
    while len(text) - start > LONGEST:
        end = _space_before(text, start + LONGEST, least=start + LONGEST // 2)
        yield text[start:end].strip()
        start = _space_before(text, end - OVERLAP // 2, least=end - OVERLAP)
    last = text[start:].strip()
    if last:
        yield last


def _space_before(text: str, end: int, *, least: int) -> int:
    """Return where the last word before `end` ends; `end` itself when that is all one word."""
    for at in range(end, least, -1):
        if text[at].isspace():
            return at
    return end


def _chunk(index: int, page: int | None, passage: Passage, text: str) -> Chunk:
    longest = max(passage.elements, key=lambda element: len(element.text))
    metadata: dict[str, Any] = {
        "element_ids": [e.element_id for e in passage.elements if e.element_id],
        "headings": [e.text[:200] for e in passage.elements if e.type == "Title"],
        "pii": personal_kinds(text),
    }
    return Chunk(
        index=index,
        page_number=page,
        element_type=longest.type,
        text=text,
        metadata={key: value for key, value in metadata.items() if value},
    )
