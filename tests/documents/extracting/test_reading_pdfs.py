"""The text layer of PDFs: words as they were meant, pages counted, what can't be read refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting.builtin import BuiltIn
from leasehold_documents.extracting.elements import Extracted
from tests.documents.extracting.papers import form, pdf

PDF = "application/pdf"


def read(engine: BuiltIn, path: Path, *, password: str | None = None) -> Extracted:
    return engine.extract(path, media_type=PDF, password=password)


def test_a_heading_and_paragraphs_are_told_apart(engine: BuiltIn, tmp_path: Path) -> None:
    path = pdf(
        tmp_path / "a", ["Mietvertrag\nZwischen dem Vermieter und ihm.\n\nEs gilt ab heute."]
    )
    told = [(each.type, each.text) for each in read(engine, path).elements]
    assert told == [
        ("Title", "Mietvertrag"),
        ("UncategorizedText", "Zwischen dem Vermieter und ihm."),
        ("UncategorizedText", "Es gilt ab heute."),
    ]


def test_a_word_that_a_line_has_cut_is_whole_again(engine: BuiltIn, tmp_path: Path) -> None:
    lines = "Ihre Kündigungs-\nbestätigung per E-Mail-\nAdresse im Haus-\nund Grundbuch"
    path = pdf(tmp_path / "a", [f"Brief\n{lines}"])
    text = read(engine, path).elements[1].text
    assert text == "Ihre Kündigungsbestätigung per E-Mail-Adresse im Haus- und Grundbuch"


def test_each_element_knows_its_page_and_keeps_its_name(engine: BuiltIn, tmp_path: Path) -> None:
    path = pdf(tmp_path / "a", ["Eins", "Zwei", "Drei"])
    once, again = read(engine, path), read(engine, path)
    assert [(e.text, e.page_number) for e in once.elements] == [
        ("Eins", 1),
        ("Zwei", 2),
        ("Drei", 3),
    ]
    assert once == again
    assert once.page_count == engine.inspect(path).page_count == 3


def test_a_range_of_pages_is_read_alone(engine: BuiltIn, tmp_path: Path) -> None:
    path = pdf(tmp_path / "a", [f"Seite {number}" for number in range(1, 8)])
    part = engine.extract(path, media_type=PDF, pages=(3, 5))
    assert [(e.text, e.page_number) for e in part.elements] == [
        ("Seite 3", 3),
        ("Seite 4", 4),
        ("Seite 5", 5),
    ]
    assert part.page_count == 3


def test_an_encrypted_one_opens_with_its_password_only(engine: BuiltIn, tmp_path: Path) -> None:
    path = pdf(tmp_path / "a", ["Geheim"], password="sesam")
    for password in (None, "falsch"):
        with pytest.raises(Rejected) as refused:
            read(engine, path, password=password)
        assert refused.value.code == "DOCUMENT_ENCRYPTED"
    assert read(engine, path, password="sesam").elements[0].text == "Geheim"
    assert engine.inspect(path).is_encrypted


def test_pages_without_text_are_no_success(engine: BuiltIn, tmp_path: Path) -> None:
    with pytest.raises(Rejected) as refused:
        read(engine, pdf(tmp_path / "a", ["", ""]))
    assert refused.value.code == "NO_TEXT_LAYER"


def test_progress_is_told_and_may_stop_the_reading(engine: BuiltIn, tmp_path: Path) -> None:
    path = pdf(tmp_path / "a", ["Seite"] * 60)
    told: list[tuple[int, int]] = []
    engine.extract(path, media_type=PDF, progress=lambda done, total: told.append((done, total)))
    assert told == [(25, 60), (50, 60), (60, 60)]

    def stop(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.extract(path, media_type=PDF, progress=stop)
    assert read(engine, path).page_count == 60


def test_a_broken_one_is_read_as_far_as_it_can_be_repaired(engine: BuiltIn, tmp_path: Path) -> None:
    path = pdf(tmp_path / "a", ["Erste Seite", "Zweite Seite"])
    whole = path.read_bytes()
    path.write_bytes(b"\n\nnoise before\n" + whole[: whole.rindex(b"xref")] + b"no table here")
    assert [each.text for each in read(engine, path).elements] == ["Erste Seite", "Zweite Seite"]


def test_what_was_filled_into_a_form_is_read_too(engine: BuiltIn, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(form("Erika Mustermann"))
    assert "Erika Mustermann" in [each.text for each in read(engine, path).elements]
