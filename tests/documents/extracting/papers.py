"""Makes the papers that the tests read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fpdf import FPDF


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
