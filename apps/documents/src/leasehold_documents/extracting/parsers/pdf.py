"""PDF: the text layer in its reading order, with paragraphs and headings told by geometry."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Iterator
from statistics import median
from typing import Any, BinaryIO, NamedTuple

import pypdfium2 as pdfium
from pypdfium2 import raw

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting.elements import Block, Page, PageRange
from leasehold_documents.extracting.messages import Parse
from leasehold_documents.extracting.parsers import Read
from leasehold_documents.extracting.tidying import unwrapped
from leasehold_documents.extracting.wording import is_bullet, type_of

_HEADING = 1.15  # times the height of the page's usual line
_LONGEST_HEADING = 200
_GAP = 0.75  # of a line's height between two lines of one paragraph


class Line(NamedTuple):
    """One line of a page; points are measured from its lower edge."""

    text: str
    top: float
    bottom: float

    @property
    def height(self) -> float:
        return self.top - self.bottom


def open_pdf(source: BinaryIO, password: str | None) -> Any:
    """Open it as far as it can be repaired."""
    try:
        return pdfium.PdfDocument(source, password=password, autoclose=False)
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD or "password" in str(error):
            raise _locked(password) from error
        raise Rejected("UNREADABLE", "this PDF is broken beyond repair") from error


def chosen(total: int, pages: PageRange | None) -> range:
    """Return the positions of the pages that were asked for, from 0 on."""
    first, last = pages or (1, total)
    return range(max(first, 1) - 1, min(last, total))


def parse(source: BinaryIO, asked: Parse) -> Read:
    document = open_pdf(source, asked.password)
    total = len(document)
    if total == 0:
        raise Rejected("UNREADABLE", "this PDF has no pages")
    is_form = document.get_formtype() != raw.FORMTYPE_NONE
    positions = chosen(total, asked.pages)
    return Read(total, (_page(document, at, is_form=is_form) for at in positions))


def _locked(password: str | None) -> Rejected:
    reason = "it needs a password" if password is None else "this password does not open it"
    return Rejected("DOCUMENT_ENCRYPTED", reason)


def _page(document: Any, at: int, *, is_form: bool) -> Page:
    """Read one page; a page that is broken has no text, its neighbours still have theirs."""
    try:
        page = _flattened(document, at) if is_form else document[at]
    except pdfium.PdfiumError:
        return Page(at + 1, [])
    try:
        lines = list(_lines(page))
    finally:
        page.close()
    usual = median([line.height for line in lines for _ in line.text.split()] or [0.0])
    return Page(at + 1, [b for group in _paragraphs(lines) if (b := _block(group, usual)).text])


def _flattened(document: Any, at: int) -> Any:
    """Open a page whose filled fields are part of its text."""
    page = document[at]
    if raw.FPDFPage_Flatten(page, raw.FLAT_NORMALDISPLAY) != raw.FLATTEN_SUCCESS:
        return page
    page.close()
    return document[at]


def _lines(page: Any) -> Iterator[Line]:
    opened = page.get_textpage()
    box, start = raw.FS_RECTF(), 0
    try:
        for text in opened.get_text_range(errors="replace").split("\r\n"):
            if text.strip():
                at = raw.FPDFText_GetCharIndexFromTextIndex(opened, start)
                found = at >= 0 and raw.FPDFText_GetLooseCharBox(opened, at, ctypes.byref(box))
                yield Line(text, box.top, box.bottom) if found else Line(text, 0.0, 0.0)
            start += len(text) + 2
    finally:
        opened.close()


def _paragraphs(lines: list[Line]) -> Iterator[list[Line]]:
    """Group lines that follow each other closely, in letters of one size."""
    group: list[Line] = []
    for line in lines:
        if group and not _goes_on(group[-1], line):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _goes_on(before: Line, line: Line) -> bool:
    height = max(before.height, line.height, 0.1)
    gap = before.bottom - line.top
    is_same_size = abs(before.height - line.height) < height * (_HEADING - 1)
    return is_same_size and -height <= gap <= height * _GAP and not is_bullet(line.text.lstrip())


def _block(group: list[Line], usual: float) -> Block:
    text = unwrapped("\n".join(line.text for line in group))
    is_large = group[0].height > usual * _HEADING
    if is_large and len(text) <= _LONGEST_HEADING:
        return Block("Title", text)
    return Block(type_of(text), text)


def cut(source: BinaryIO, password: str | None, pages: PageRange | None) -> bytes:
    """Make a PDF of some of its pages, which needs no password."""
    document = open_pdf(source, password)
    part = pdfium.PdfDocument.new()
    part.import_pages(document, pages=list(chosen(len(document), pages)))
    written = io.BytesIO()
    part.save(written)
    return written.getvalue()
