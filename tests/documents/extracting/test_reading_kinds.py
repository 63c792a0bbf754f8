"""Every kind of file is told by its content and read with all that is in it."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import Extracted, kinds, sniff
from leasehold_documents.extracting.builtin import BuiltIn
from tests.documents.extracting import papers


def read(engine: BuiltIn, path: Path, *, password: str | None = None) -> Extracted:
    """Read it as what its content is: its name is always a wrong one."""
    with path.open("rb") as file:
        kind = sniff(file)
    return engine.extract(path, media_type=kind.media_type, password=password)


def told(extracted: Extracted) -> list[tuple[int | None, str, str]]:
    return [(each.page_number, each.type, each.text) for each in extracted.elements]


def test_a_letter_of_word_is_read_in_its_order(engine: BuiltIn, tmp_path: Path) -> None:
    extracted = read(engine, papers.word(tmp_path / "brief.jpg"))
    assert told(extracted) == [
        (1, "Title", "Mietvertrag"),
        (1, "NarrativeText", "Zwischen Herrn Weiß und der Müller GmbH wird vereinbart:"),
        (1, "ListItem", "Die Miete beträgt 850 Euro."),
        (1, "Table", "Posten | Betrag\nKaltmiete | 700 Euro"),
        (2, "UncategorizedText", "Unterschrift auf der zweiten Seite"),
        (2, "Header", "Hausverwaltung Nord"),
    ]
    assert extracted.page_count == 2


def test_a_workbook_has_a_page_for_each_sheet(engine: BuiltIn, tmp_path: Path) -> None:
    path = papers.sheet(tmp_path / "a.txt")
    assert told(read(engine, path)) == [
        (1, "Title", "Kosten"),
        (1, "Table", "Datum | Grund | Betrag\n2026-03-01 | Heizöl für März | 1234.5"),
        (2, "Title", "Zähler"),
        (2, "Table", "Wasser | 42"),
    ]
    assert engine.inspect(path).page_count == 2


def test_a_locked_workbook_opens_with_its_password_only(engine: BuiltIn, tmp_path: Path) -> None:
    path = papers.sheet(tmp_path / "a.xlsx", password="sesam")
    assert engine.inspect(path).is_encrypted
    for password in (None, "falsch"):
        with pytest.raises(Rejected) as refused:
            read(engine, path, password=password)
        assert refused.value.code == "DOCUMENT_ENCRYPTED"
    assert (1, "Title", "Kosten") in told(read(engine, path, password="sesam"))


def test_slides_are_pages_with_their_notes(engine: BuiltIn, tmp_path: Path) -> None:
    assert told(read(engine, papers.slides(tmp_path / "a")))[3:] == [
        (2, "Title", "Folie 2"),
        (2, "UncategorizedText", "Übersicht der Öfen"),
        (2, "UncategorizedText", "Hier langsam sprechen"),
    ]


def test_open_documents_are_read(engine: BuiltIn, tmp_path: Path) -> None:
    assert told(read(engine, papers.open_text(tmp_path / "a"))) == [
        (1, "Title", "Kündigung"),
        (1, "NarrativeText", "Hiermit kündige ich die Wohnung zum 31. März."),
    ]
    assert told(read(engine, papers.open_sheet(tmp_path / "b"))) == [
        (1, "Title", "Nebenkosten"),
        (1, "Table", "Müll | 120 Euro"),
    ]


def test_rich_text_is_read(engine: BuiltIn, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(rb"{\rtf1\ansi\ansicpg1252 Sch\'f6ne Gr\'fc\'dfe\par Zweiter Absatz}")
    assert [text for _, _, text in told(read(engine, path))] == ["Schöne Grüße", "Zweiter Absatz"]


def test_a_web_page_says_what_its_reader_sees(engine: BuiltIn, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text(
        "<!DOCTYPE html><html><head><title>Haus &amp; Hof</title><style>p{}</style></head><body>"
        "<script>alert(1)</script><h1>Willkommen</h1><p>Ein <b>fetter</b>\nSatz.</p>"
        "<ul><li>Punkt</li></ul><img onerror=alert(1)>&lt;b&gt;</body></html>"
    )
    assert told(read(engine, path)) == [
        (1, "Title", "Haus & Hof"),
        (1, "Title", "Willkommen"),
        (1, "UncategorizedText", "Ein fetter Satz."),
        (1, "ListItem", "Punkt"),
        (1, "UncategorizedText", "<b>"),
    ]


def test_a_mail_is_read_with_the_names_of_what_it_carries(engine: BuiltIn, tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["From"], mail["To"] = "erika@beispiel.de", "max@beispiel.de"
    mail["Subject"] = "Kündigungsbestätigung für Sie"
    mail.set_content("Guten Tag,\n\nwir bestätigen die Kündigung.")
    mail.add_attachment(b"%PDF-", maintype="application", subtype="pdf", filename="anlage.pdf")
    path = tmp_path / "a"
    path.write_bytes(bytes(mail))
    texts = [text for _, _, text in told(read(engine, path))]
    assert texts[0] == "Kündigungsbestätigung für Sie"
    assert "wir bestätigen die Kündigung." in texts
    assert texts[-1] == "anlage.pdf"


def test_markdown_and_tables_are_told_apart(engine: BuiltIn, tmp_path: Path) -> None:
    markdown, table = tmp_path / "a", tmp_path / "b"
    markdown.write_text("# Titel\nEin Absatz mit genug Wörtern für einen Satz.\n\n- Punkt")
    table.write_text("Name;Ort\nWeiß;Köln\nMüller;Bonn\n")
    kinds_of = [kind for _, kind, _ in told(read(engine, markdown))]
    assert kinds_of == ["Title", "NarrativeText", "ListItem"]
    assert told(read(engine, table)) == [(1, "Table", "Name;Ort\nWeiß;Köln\nMüller;Bonn")]


def test_a_long_text_has_pages_by_its_length(engine: BuiltIn, tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("\n\n".join(f"Absatz {number} " + "wort " * 100 for number in range(40)))
    extracted = read(engine, path)
    assert extracted.page_count == engine.inspect(path).page_count == 8
    part = engine.extract(path, media_type="text/plain", pages=(2, 3))
    assert {each.page_number for each in part.elements} == {2, 3}


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda path: papers.pdf(path, ["a"]), kinds.PDF),
        (papers.word, kinds.DOCX),
        (papers.sheet, kinds.XLSX),
        (papers.slides, kinds.PPTX),
        (papers.open_text, kinds.ODT),
        (papers.open_sheet, kinds.ODS),
        (lambda path: papers.zipped(path, {"a.txt": b"x"}), kinds.ZIP),
        (lambda path: papers.sheet(path, password="x"), kinds.ENCRYPTED_OFFICE),
    ],
)
def test_content_decides_what_a_file_is(
    tmp_path: Path, make: Callable[[Path], Path], kind: kinds.Kind
) -> None:
    with make(tmp_path / "name.exe").open("rb") as file:
        assert sniff(file) == kind
        assert file.tell() == 0


@pytest.mark.parametrize("data", [b"\x7fELF\x02\x01\x01" + bytes(60), bytes(range(256)) * 40])
def test_what_nobody_knows_is_never_read(engine: BuiltIn, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    with pytest.raises(Rejected) as refused:
        read(engine, path)
    assert refused.value.code == "UNSUPPORTED_TYPE"
