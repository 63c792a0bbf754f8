"""OpenDocument: texts, sheets and presentations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from odf.element import Text
from odf.namespaces import DRAWNS, TABLENS, TEXTNS
from odf.opendocument import load

from leasehold_documents.extracting import kinds
from leasehold_documents.extracting.elements import Block, Page
from leasehold_documents.extracting.messages import Parse
from leasehold_documents.extracting.parsers import Read
from leasehold_documents.extracting.parsers.plain import paged, read
from leasehold_documents.extracting.parsers.sheets import sheet_pages
from leasehold_documents.extracting.tidying import tidy
from leasehold_documents.extracting.wording import type_of

_HEADING, _PARAGRAPH, _ITEM = (TEXTNS, "h"), (TEXTNS, "p"), (TEXTNS, "list-item")
_TABLE, _ROW, _SLIDE = (TABLENS, "table"), (TABLENS, "table-row"), (DRAWNS, "page")
_CELLS = frozenset({(TABLENS, "table-cell"), (TABLENS, "covered-table-cell")})
_BREAK = (TEXTNS, "soft-page-break")
_DELETED = (TEXTNS, "tracked-changes")
_SIGNS = {(TEXTNS, "tab"): " ", (TEXTNS, "line-break"): "\n", (TEXTNS, "s"): " "}
_PAGE_END = Block("", "\f")


def parse(source: BinaryIO, asked: Parse) -> Read:
    body = load(source).body
    if asked.media_type == kinds.ODS.media_type:
        return read(sheet_pages(_sheets(body)), asked)
    if asked.media_type == kinds.ODP.media_type:
        slides = enumerate(_find(body, _SLIDE), 1)
        pages = [Page(number, _tidied(_blocks(slide))) for number, slide in slides]
        return read(pages or [Page(1, [])], asked)
    return read(_pages(list(_blocks(body))), asked)


def _children(node: Any) -> list[Any]:
    return [each for each in node.childNodes if getattr(each, "qname", None) is not None]


def _find(node: Any, name: tuple[str, str]) -> Iterator[Any]:
    for child in _children(node):
        if child.qname == name:
            yield child
        else:
            yield from _find(child, name)


def _blocks(node: Any, kind: str = "") -> Iterator[Block]:
    for child in _children(node):
        if child.qname == _HEADING:
            yield Block("Title", _text(child))
        elif child.qname == _PARAGRAPH:
            yield Block(kind, _text(child))
        elif child.qname == _TABLE:
            yield Block("Table", "\n".join(_rows(child)))
        elif child.qname == _BREAK:
            yield _PAGE_END
        elif child.qname != _DELETED:
            yield from _blocks(child, "ListItem" if child.qname == _ITEM else kind)


def _text(node: Any) -> str:
    return "".join(_pieces(node))


def _pieces(node: Any) -> Iterator[str]:
    for child in node.childNodes:
        if isinstance(child, Text):
            yield str(child.data)
        elif child.qname in _SIGNS:
            yield _SIGNS[child.qname]
        elif child.qname == _PARAGRAPH:
            yield f"\n{_text(child)}"  # of a frame, or of a note
        elif child.qname != _BREAK:
            yield from _pieces(child)


def _rows(table: Any) -> Iterator[str]:
    """Each row once, however often it says that it is there."""
    for row in _find(table, _ROW):
        cells = (each for each in _children(row) if each.qname in _CELLS)
        values = [" ".join(" ".join(map(_text, _children(cell))).split()) for cell in cells]
        yield " | ".join(values).rstrip(" |")


def _sheets(body: Any) -> Iterator[tuple[str, Iterator[str]]]:
    for table in _find(body, _TABLE):
        yield str(table.getAttribute("name") or ""), map(tidy, _rows(table))


def _pages(blocks: list[Block]) -> list[Page]:
    if _PAGE_END not in blocks:
        return paged(_tidied(iter(blocks)))
    pages = [Page(1, [])]
    for block in blocks:
        if block is _PAGE_END:
            pages.append(Page(len(pages) + 1, []))
        else:
            pages[-1].blocks.extend(_tidied(iter([block])))
    return pages


def _tidied(blocks: Iterator[Block]) -> list[Block]:
    tidied = ((block.type, tidy(block.text)) for block in blocks)
    return [Block(kind or type_of(text), text) for kind, text in tidied if text.strip(" |\n")]
