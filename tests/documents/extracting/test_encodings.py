"""Texts in the encodings that people save them in come out as they were written."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import sniff
from leasehold_documents.extracting.builtin import BuiltIn
from leasehold_documents.extracting.tidying import tidy

LETTER = (
    "Wir können die Kündigungsbestätigung für Herrn Weiß nicht drucken.\r\nGrüße \u2013 „Ihr“ Amt"
)


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "cp1252"],
)
def test_a_letter_is_read_in_every_encoding(engine: BuiltIn, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "brief.pdf"  # content decides
    path.write_bytes(LETTER.encode(encoding))
    with path.open("rb") as file:
        kind = sniff(file)
    assert kind.media_type == "text/plain"
    text = engine.extract(path, media_type=kind.media_type).elements[0].text
    assert text == LETTER.replace("\r\n", "\n")


@pytest.mark.parametrize("encoding", ["cp850", "mac-roman", "iso8859-1"])
def test_an_old_machines_umlauts_are_read(engine: BuiltIn, tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a"
    path.write_bytes("Grüße für die Straße, schöne Öfen und Äpfel".encode(encoding))
    text = engine.extract(path, media_type="text/plain").elements[0].text
    assert text == "Grüße für die Straße, schöne Öfen und Äpfel"


@pytest.mark.parametrize(
    ("raw", "tidied"),
    [
        ("Vor\x00trag", "Vortrag"),
        ("Kündi\u00adgung", "Kündigung"),
        ("Kündi\u00ad\n gung", "Kündigung"),
        ("Kündi-\ngung", "Kündigung"),
        ("ko\u0308nnen", "können"),
        ("\ufb01nden", "finden"),
        ("Haus\u00a0Nr.\u200b 5", "Haus Nr. 5"),
        ("2020-\n2021", "2020-2021"),
        ("halb\ud800", "halb?"),
        ("a\r\nb\rc", "a\nb\nc"),
    ],
)
def test_what_only_a_typesetter_needs_is_gone(raw: str, tidied: str) -> None:
    assert tidy(raw) == tidied


@pytest.mark.parametrize("data", [b"", b" \r\n\t ", b"\xef\xbb\xbf \n", " \n".encode("utf-16")])
def test_nothing_is_no_file(data: bytes) -> None:
    with pytest.raises(Rejected) as refused:
        sniff(io.BytesIO(data))
    assert refused.value.code == "EMPTY_FILE"
