"""The demo's papers are what they seem: real files that real readers open."""

from __future__ import annotations

from io import BytesIO

import msoffcrypto
import pypdfium2
import pytest

from leasehold_documents.demo import files
from leasehold_documents.demo.papers import PAPERS, PASSWORD, Paper, invoice
from leasehold_documents.extracting import sniff


@pytest.mark.parametrize("paper", [*PAPERS, invoice(7)], ids=lambda paper: paper.name)
def test_a_paper_is_what_its_name_says(paper: Paper) -> None:
    made = paper.make()
    is_locked = "Passwort" in paper.name
    assert is_locked or paper.name.endswith(sniff(BytesIO(made)).extension)


def test_text_with_umlauts_and_brackets_is_read_back_as_it_was() -> None:
    lines = ("Größe (geprüft)", "100 € für Übergabe \\ Müller")
    document = pypdfium2.PdfDocument(files.pdf(lines, lines))
    pages = [page.get_textpage().get_text_bounded().splitlines() for page in document]
    document.close()
    assert pages == [list(lines), list(lines)]


def test_a_scan_has_a_picture_of_text_and_no_text() -> None:
    document = pypdfium2.PdfDocument(files.scan(("Zählerprotokoll",)))
    assert len(document) == 1
    assert document[0].get_textpage().get_text_bounded() == ""
    darkest, lightest = document[0].render().to_pil().convert("L").getextrema()
    assert (darkest < 50, lightest > 200) == (True, True)
    document.close()


def test_the_locked_file_opens_with_the_demos_password() -> None:
    locked = next(paper for paper in PAPERS if "Passwort" in paper.name)
    file = msoffcrypto.OfficeFile(BytesIO(locked.make()))
    assert file.is_encrypted()
    file.load_key(password=PASSWORD, verify_password=True)
