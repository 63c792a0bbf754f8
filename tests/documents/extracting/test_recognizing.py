"""Scans: refused by the quick way, read by the thorough one, and clear where that is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import recognizing
from leasehold_documents.extracting.builtin import BuiltIn
from tests.documents.extracting import papers

PDF = "application/pdf"


def test_a_scan_has_no_text_until_it_is_recognised(engine: BuiltIn, tmp_path: Path) -> None:
    path = papers.scan(tmp_path / "a", "Kündigung der Wohnung", pages=2)
    with pytest.raises(Rejected) as refused:
        engine.extract(path, media_type=PDF)
    assert refused.value.code == "NO_TEXT_LAYER"
    told: list[tuple[int, int]] = []
    read = engine.extract(
        path, media_type=PDF, strategy="hi_res", progress=lambda *how: told.append(how)
    )
    assert [(e.text, e.page_number) for e in read.elements] == [
        ("Kündigung der Wohnung", 1),
        ("Kündigung der Wohnung", 2),
    ]
    assert told == [(1, 2), (2, 2)]
    assert read.page_count == 2
    assert read.backend.startswith("builtin, tesseract ")


@pytest.mark.parametrize(
    ("name", "media_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("TIFF", "image/tiff")]
)
def test_a_photograph_is_recognised(
    engine: BuiltIn, tmp_path: Path, name: str, media_type: str
) -> None:
    path = tmp_path / "a"
    papers.picture("Rechnung Nummer 4711").save(path, name)
    assert engine.inspect(path).media_type == media_type
    read = engine.extract(path, media_type=media_type, strategy="hi_res")
    assert "Rechnung Nummer 4711" in read.elements[0].text


def test_a_locked_scan_is_recognised_with_its_password(engine: BuiltIn, tmp_path: Path) -> None:
    path = papers.pdf(tmp_path / "a", ["Geheimer Vertrag"], password="sesam")
    with pytest.raises(Rejected) as refused:
        engine.extract(path, media_type=PDF, strategy="hi_res")
    assert refused.value.code == "DOCUMENT_ENCRYPTED"
    read = engine.extract(path, media_type=PDF, strategy="hi_res", password="sesam")
    assert read.elements[0].text == "Geheimer Vertrag"


def test_an_empty_page_is_no_success_either(engine: BuiltIn, tmp_path: Path) -> None:
    with pytest.raises(Rejected) as refused:
        engine.extract(papers.scan(tmp_path / "a", ""), media_type=PDF, strategy="hi_res")
    assert refused.value.code == "NO_TEXT_FOUND"


def test_without_the_program_that_is_said(
    engine: BuiltIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = papers.scan(tmp_path / "a", "Wort")
    monkeypatch.setenv("PATH", str(tmp_path))
    recognizing.find_program.cache_clear()
    try:
        with pytest.raises(Rejected) as refused:
            engine.extract(path, media_type=PDF, strategy="hi_res")
    finally:
        recognizing.find_program.cache_clear()
    assert refused.value.code == "OCR_NOT_INSTALLED"


@pytest.mark.parametrize("language", ["xyz", "deu+eng", "--psm", "../deu"])
def test_a_language_that_is_not_there_is_never_passed_on(
    engine: BuiltIn, tmp_path: Path, language: str
) -> None:
    path = papers.scan(tmp_path / "a", "Wort")
    with pytest.raises(Rejected) as refused:
        engine.extract(path, media_type=PDF, strategy="hi_res", languages=(language,))
    assert refused.value.code == "OCR_NOT_INSTALLED"


def test_what_was_filled_into_a_form_is_seen(engine: BuiltIn, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(papers.form("Erika Mustermann"))
    read = engine.extract(path, media_type=PDF, strategy="hi_res")
    assert [each.text for each in read.elements] == ["Erika Mustermann"]
