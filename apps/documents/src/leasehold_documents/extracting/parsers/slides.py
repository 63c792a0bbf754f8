"""PowerPoint: each slide is a page, with its tables, groups and speaker's notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from pptx import Presentation

from leasehold_documents.extracting.elements import Block, Page
from leasehold_documents.extracting.messages import Parse
from leasehold_documents.extracting.parsers import Read
from leasehold_documents.extracting.parsers.plain import read
from leasehold_documents.extracting.tidying import tidy
from leasehold_documents.extracting.wording import type_of

_DEEPEST = 20  # groups in groups


def parse(source: BinaryIO, asked: Parse) -> Read:
    show: Any = Presentation(source)
    pages = [Page(number, list(_slide(slide))) for number, slide in enumerate(show.slides, 1)]
    return read(pages or [Page(1, [])], asked)


def _slide(slide: Any) -> Iterator[Block]:
    title = slide.shapes.title
    yield from _shapes(slide.shapes, title.shape_id if title is not None else None, _DEEPEST)
    if slide.has_notes_slide:
        yield from _blocks(slide.notes_slide.notes_text_frame.text.split("\n"), "")


def _shapes(shapes: Iterable[Any], title: int | None, left: int) -> Iterator[Block]:
    for shape in shapes:
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes, title, left - 1) if left else ()
        elif getattr(shape, "has_table", False):
            rows = (" | ".join(cell.text for cell in row.cells) for row in shape.table.rows)
            yield from _blocks(["\n".join(rows)], "Table")
        elif shape.has_text_frame:
            kind = "Title" if shape.shape_id == title else ""
            yield from _blocks((each.text for each in shape.text_frame.paragraphs), kind)


def _blocks(texts: Iterable[str], kind: str) -> Iterator[Block]:
    for text in texts:
        tidied = tidy(text)
        if tidied.strip(" |\n"):
            yield Block(kind or type_of(tidied), tidied)
