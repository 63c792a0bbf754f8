"""Makes the papers that the tests read."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pypdfium2 as pdfium
from fpdf import FPDF
from msoffcrypto.format.ooxml import OOXMLFile
from odf import table as odf_table
from odf import text as odf_text
from odf.opendocument import OpenDocumentSpreadsheet, OpenDocumentText
from pptx import Presentation


def pdf(path: Path, pages: Sequence[str], *, password: str | None = None) -> Path:
    """Write a PDF with a text layer: a page's first line is its heading."""
    document = FPDF()
    if password is not None:
        document.set_encryption(owner_password="owner", user_password=password)
    for text in pages:
        _write_page(document, text)
    path.write_bytes(bytes(document.output()))
    return path


def _write_page(document: Any, text: str) -> None:
    heading, _, rest = text.partition("\n")
    document.add_page()
    document.set_font("Helvetica", size=18)
    if heading:
        document.cell(text=heading, new_x="LMARGIN", new_y="NEXT")
    document.set_font("Helvetica", size=11)
    for paragraph in filter(None, rest.split("\n\n")):
        document.multi_cell(0, 5, paragraph)
        document.ln(6)


def picture(words: str) -> Any:
    """Draw words as a scanner would see them."""
    document = FPDF()
    document.add_page()
    document.set_font("Helvetica", size=20)
    document.multi_cell(0, 10, words or " ")
    drawn: Any = pdfium.PdfDocument(bytes(document.output()))[0].render(scale=2.5).to_pil()
    return drawn.convert("L")


def scan(path: Path, words: str, *, pages: int = 1) -> Path:
    """Write a PDF of pictures only."""
    drawn = [picture(words).convert("RGB")] * pages
    drawn[0].save(path, "PDF", resolution=180.0, save_all=True, append_images=drawn[1:])
    return path


def word(path: Path) -> Path:
    """Write a letter with all that a parser may overlook."""
    document: Any = docx.Document()
    document.add_heading("Mietvertrag", level=1)
    document.add_paragraph("Zwischen Herrn Weiß und der Müller GmbH wird vereinbart:")
    document.add_paragraph("Die Miete beträgt 850 Euro.", style="List Bullet")
    table = document.add_table(rows=2, cols=2)
    for row, values in enumerate([("Posten", "Betrag"), ("Kaltmiete", "700 Euro")]):
        for column, value in enumerate(values):
            table.cell(row, column).text = value
    document.add_page_break()
    document.add_paragraph("Unterschrift auf der zweiten Seite")
    document.sections[0].header.paragraphs[0].text = "Hausverwaltung Nord"
    document.save(str(path))
    return path


def sheet(path: Path, *, password: str | None = None) -> Path:
    """Write a workbook, behind a password if there is one."""
    book = openpyxl.Workbook()
    first = book.worksheets[0]
    first.title = "Kosten"
    first.append(["Datum", "Grund", "Betrag"])
    first.append([dt.datetime(2026, 3, 1, tzinfo=None), "Heizöl für März", 1234.5])  # noqa: DTZ001
    book.create_sheet("Zähler").append(["Wasser", 42.0])
    plain = io.BytesIO()
    book.save(plain)
    path.write_bytes(plain.getvalue() if password is None else locked(plain, password))
    return path


def locked(plain: io.BytesIO, password: str) -> bytes:
    """Encrypt an office file as its own program would."""
    plain.seek(0)
    written = io.BytesIO()
    OOXMLFile(plain).encrypt(password, written)
    return written.getvalue()


def slides(path: Path) -> Path:
    show: Any = Presentation()
    for number in (1, 2):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = f"Folie {number}"
        slide.placeholders[1].text = "Übersicht der Öfen"
        slide.notes_slide.notes_text_frame.text = "Hier langsam sprechen"
    show.save(str(path))
    return path


def open_text(path: Path) -> Path:
    document = OpenDocumentText()
    document.text.addElement(odf_text.H(outlinelevel=1, text="Kündigung"))
    document.text.addElement(odf_text.P(text="Hiermit kündige ich die Wohnung zum 31. März."))
    document.save(str(path))
    return path


def open_sheet(path: Path) -> Path:
    document = OpenDocumentSpreadsheet()
    table = odf_table.Table(name="Nebenkosten")
    row = odf_table.TableRow()
    for value in ("Müll", "120 Euro"):
        cell = odf_table.TableCell(numbercolumnsrepeated=1)
        cell.addElement(odf_text.P(text=value))
        row.addElement(cell)
    table.addElement(row)
    document.spreadsheet.addElement(table)
    document.save(str(path))
    return path


def zipped(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def form(filled: str) -> bytes:
    """Write a PDF with one field, whose text stands in its own appearance only."""
    shown = f"BT /F 12 Tf 2 5 Td ({filled}) Tj ET".encode()
    stream = b"stream\n" + shown + b"\nendstream"
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Annots[4 0 R]/Resources<<>>>>",
        b"<</Type/Annot/Subtype/Widget/FT/Tx/T(n)/Rect[9 9 250 29]/F 4/AP<</N 5 0 R>>/P 3 0 R>>",
        b"<</Subtype/Form/BBox[0 0 250 20]/Resources<</Font<</F 6 0 R>>>>/Length %d>>\n%b"
        % (len(shown), stream),
        font,
    ]
    body = b"".join(b"%d 0 obj\n%b\nendobj\n" % (n, o) for n, o in enumerate(objects, 1))
    return b"%PDF-1.7\n" + body + b"trailer <</Root 1 0 R>>\n%%EOF"
