"""Makes files of texts: PDF, Word and Excel, a scan without any text, and one with a password."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any, cast

from leasehold_documents.demo.pdf import pdf_of

Lines = Sequence[str]
_SCAN_DPI = 150
_SKEW_DEGREES = 0.4  # as papers lie on a scanner


def pdf(*pages: Lines) -> bytes:
    return pdf_of(pages)


def scan(*pages: Lines) -> bytes:
    """Make a PDF of pictures: a reader sees text, a program does not."""
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf_of(pages))
    try:
        shown = [_picture(page) for page in document]
    finally:
        document.close()
    file = BytesIO()
    shown[0].save(file, "PDF", save_all=True, append_images=shown[1:], resolution=_SCAN_DPI)
    return file.getvalue()


def _picture(page: Any) -> Any:
    drawn = page.render(scale=_SCAN_DPI / 72).to_pil().convert("L")
    return drawn.rotate(_SKEW_DEGREES, fillcolor=255)


def word(*lines: str) -> bytes:
    """Make a Word document; the first line is its title."""
    import docx

    document = docx.Document()
    document.add_heading(lines[0], 0)
    for line in lines[1:]:
        document.add_paragraph(line)
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def excel(*rows: Sequence[str | float], password: str | None = None) -> bytes:
    """Make a spreadsheet; with a password nobody else can read it."""
    import openpyxl

    workbook = openpyxl.Workbook()
    for row in rows:
        cast("Any", workbook.active).append(row)
    file = BytesIO()
    workbook.save(file)
    return file.getvalue() if password is None else _locked(file, password)


def _locked(file: BytesIO, password: str) -> bytes:
    from msoffcrypto.format.ooxml import OOXMLFile

    file.seek(0)
    locked = BytesIO()
    OOXMLFile(file).encrypt(password, locked)
    return locked.getvalue()
