"""Word: paragraphs and tables in their order, with text boxes, content controls and footnotes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

import docx
from docx.oxml.ns import qn

from leasehold_documents.extracting.elements import Block, Page
from leasehold_documents.extracting.messages import Parse
from leasehold_documents.extracting.parsers import Read
from leasehold_documents.extracting.parsers.plain import paged, read
from leasehold_documents.extracting.tidying import tidy
from leasehold_documents.extracting.wording import type_of

_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_LEFT_OUT = frozenset({qn("w:del"), qn("w:moveFrom"), qn("w:instrText"), _FALLBACK})
_PARAGRAPH, _TABLE, _TEXT_BOX = qn("w:p"), qn("w:tbl"), qn("w:txbxContent")
_SIGNS = {
    qn("w:tab"): " ",
    qn("w:br"): "\n",
    qn("w:cr"): "\n",
    qn("w:noBreakHyphen"): "-",
    qn("w:softHyphen"): "",
}
_BREAK = "\f"  # where a page ends, in the text of a paragraph
_HEADINGS = ("heading", "title", "subtitle")


class Styles(NamedTuple):
    """What the names of paragraphs' styles mean."""

    headings: frozenset[str]
    lists: frozenset[str]


def parse(source: BinaryIO, asked: Parse) -> Read:
    document = docx.Document(source)
    styles = _styles(document)
    blocks = [*_blocks(document.element.body, styles), *_notes(document, styles)]
    return read(_pages(blocks), asked)


def _styles(document: Any) -> Styles:
    named = [(style.style_id, (style.name or "").lower()) for style in document.styles]
    return Styles(
        frozenset(key for key, name in named if name.startswith(_HEADINGS)),
        frozenset(key for key, name in named if name.startswith("list")),
    )


def _blocks(parent: Any, styles: Styles) -> Iterator[Block]:
    for node in parent:
        if node.tag in _LEFT_OUT or not isinstance(node.tag, str):
            continue
        if node.tag == _PARAGRAPH:
            yield Block(_type(node, styles), _text(node))
            for box in node.iter(_TEXT_BOX):
                if not any(above.tag == _FALLBACK for above in box.iterancestors()):
                    yield from _blocks(box, styles)
        elif node.tag == _TABLE:
            yield Block("Table", "\n".join(_rows(node)))
        else:
            yield from _blocks(node, styles)


def _rows(table: Any) -> Iterator[str]:
    for row in table.iter(qn("w:tr")):
        cells = (" ".join(map(_text, cell.iter(_PARAGRAPH))) for cell in row.iter(qn("w:tc")))
        yield " | ".join(" ".join(cell.split()) for cell in cells)


def _text(node: Any) -> str:
    return "".join(_pieces(node))


def _pieces(node: Any) -> Iterator[str]:
    for child in node:
        if child.tag in _LEFT_OUT or child.tag == _TEXT_BOX:
            continue
        if child.tag == qn("w:t"):
            yield child.text or ""
        elif child.tag == qn("w:lastRenderedPageBreak") or (
            child.tag == qn("w:br") and child.get(qn("w:type")) == "page"
        ):
            yield _BREAK
        elif child.tag in _SIGNS:
            yield _SIGNS[child.tag]
        else:
            yield from _pieces(child)


def _type(paragraph: Any, styles: Styles) -> str:
    style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    name = style.get(qn("w:val")) if style is not None else None
    if name in styles.headings:
        return "Title"
    is_numbered = paragraph.find(f"{qn('w:pPr')}/{qn('w:numPr')}") is not None
    return "ListItem" if is_numbered or name in styles.lists else ""


def _notes(document: Any, styles: Styles) -> Iterator[Block]:
    """Footnotes and endnotes, which stand in parts of their own, and the pages' heads and feet."""
    for relation in document.part.rels.values():
        if relation.is_external or not relation.reltype.endswith(
            ("/footnotes", "/endnotes", "/header", "/footer")
        ):
            continue
        from docx.oxml import parse_xml

        kind = {"header": "Header", "footer": "Footer"}.get(relation.reltype.rpartition("/")[2])
        for block in _blocks(parse_xml(relation.target_part.blob), styles):
            yield Block(kind or block.type, block.text)


def _pages(blocks: list[Block]) -> list[Page]:
    """Follow the breaks that are there; without any, a page is as much as fits on one."""
    if not any(_BREAK in block.text for block in blocks):
        return paged(_tidied(blocks))
    pages = [Page(1, [])]
    for block in blocks:
        for position, text in enumerate(block.text.split(_BREAK)):
            if position > 0 and pages[-1].blocks:
                pages.append(Page(len(pages) + 1, []))
            pages[-1].blocks.extend(_tidied([Block(block.type, text)]))
    return pages if pages[-1].blocks or len(pages) == 1 else pages[:-1]


def _tidied(blocks: list[Block]) -> list[Block]:
    tidied = ((block.type, tidy(block.text)) for block in blocks)
    return [Block(kind or type_of(text), text) for kind, text in tidied if text.strip(" |\n")]
