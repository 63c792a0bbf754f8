"""Names of files: whatever a person or an attacker calls them, the server's name is harmless."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold_documents.vault import safe_name
from leasehold_documents.vault.keys import check_key


@pytest.mark.parametrize(
    ("given_name", "safe"),
    [
        ("Mietvertrag Müller.pdf", "Mietvertrag_Mueller.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\me\\Rechnung.PDF", "Rechnung.PDF"),
        ("Straße 5.docx", "Strasse_5.docx"),
        ("Café.txt", "Cafe.txt"),
        ("\u202efdp.exe", "fdp.exe"),
        ("😀.pdf", "file.pdf"),
        ("..", "file"),
        ("a.", "a"),
        ("a.tar.gz", "a.tar.gz"),
        ("Rechnung Nr. 17 vom 3. Mai", "Rechnung_Nr._17_vom_3.Mai"),
        ("", "file"),
        (".htaccess", "htaccess"),
        ("a\0b.txt", "a_b.txt"),
        ("con.txt", "file_con.txt"),
        ("a" * 300 + ".pdf", "a" * 96 + ".pdf"),
        ("契約書.pdf", "file.pdf"),
        ("<script>.html", "script.html"),
    ],
)
def test_a_name_becomes_a_harmless_one(given_name: str, safe: str) -> None:
    assert safe_name(given_name) == safe


@given(st.text(max_size=400))
def test_every_name_becomes_a_key_of_the_vault(name: str) -> None:
    safe = safe_name(name)
    assert re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,104}", safe)
    assert check_key(safe) == safe
    assert safe_name(safe) in {safe, f"file_{safe}"}
