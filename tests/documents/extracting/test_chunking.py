"""Chunks: short, within a page, nothing lost, and what is personal in them flagged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold_documents.extracting import Element, chunks_of
from leasehold_documents.extracting.chunking import LONGEST


def element(text: str, *, page: int = 1, kind: str = "NarrativeText") -> Element:
    return Element(type=kind, element_id=f"{page}", text=text, metadata={"page_number": page})


_words = st.lists(st.text("abcäß", min_size=1, max_size=40), min_size=1, max_size=400)
_elements = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from(["Title", "Table", "NarrativeText"]), _words),
    max_size=6,
)


@given(_elements)
def test_no_chunk_is_too_long_and_no_word_is_lost(
    given_elements: list[tuple[int, str, list[str]]],
) -> None:
    made = [
        element(" ".join(words), page=page, kind=kind)
        for page, kind, words in sorted(given_elements, key=lambda each: each[0])
    ]
    chunks = chunks_of(made)
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert all(0 < len(chunk.text) <= LONGEST for chunk in chunks)
    for page in (1, 2, 3):
        there = {w for c in chunks if c.page_number == page for w in c.text.split()}
        assert {w for e in made if e.page_number == page for w in e.text.split()} <= there
    assert chunks_of(made) == chunks


def test_one_endless_word_is_cut_too() -> None:
    chunks = chunks_of([element("x" * 2_500)])
    assert [len(chunk.text) for chunk in chunks][:2] == [1_000, 1_000]


def test_neighbours_overlap_so_that_what_lies_on_the_cut_is_found() -> None:
    words = " ".join(f"wort{number}" for number in range(400))
    first, second, *_ = chunks_of([element(words)])
    assert second.text.split()[0] in first.text.split()


def test_small_elements_of_a_page_are_one_chunk_and_pages_never_are() -> None:
    chunks = chunks_of(
        [element("Titel", kind="Title"), element("Ein Satz."), element("Neu.", page=2)]
    )
    assert [(c.text, c.page_number, c.element_type) for c in chunks] == [
        ("Titel\nEin Satz.", 1, "NarrativeText"),
        ("Neu.", 2, "NarrativeText"),
    ]
    assert chunks[0].metadata["headings"] == ["Titel"]


def test_a_table_stands_alone() -> None:
    chunks = chunks_of([element("Vorher."), element("a | b", kind="Table"), element("Danach.")])
    assert [chunk.element_type for chunk in chunks] == ["NarrativeText", "Table", "NarrativeText"]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("IBAN: DE89 3704 0044 0532 0130 00 bei der Bank", ["iban"]),
        ("IBAN DE89370400440532013000", ["iban"]),
        ("GB82 WEST 1234 5698 7654 32", ["iban"]),
        ("DE89 3704 0044 0532 0130 01", []),  # a wrong check digit
        ("Steuer-ID 86 095 742 719", ["tax_id"]),
        ("Steuer-ID 86 095 742 718", []),
        ("Steuernummer 181/815/08155", ["tax_id"]),
        ("USt-IdNr. DE136695976", ["tax_id"]),
        ("USt-IdNr. DE136695977", []),
        ("Karte 4111 1111 1111 1111", ["card"]),
        ("Karte 4111 1111 1111 1112", []),
        ("Mail an erika.muster@beispiel.de.", ["email"]),
        ("Tel. 030 1234567", ["phone"]),
        ("+49 (0)30 901820", ["phone"]),
        ("Mobil: 0171/1234567", ["phone"]),
        ("Am 01.02.2026 zahlten wir 1.234,56 EUR, Az. 12 C 345/21.", []),
        ("Rechnung Nr. 2026-000123 vom 2026-11-16", []),
    ],
)
def test_what_is_personal_is_flagged_by_kind_and_never_quoted(text: str, kinds: list[str]) -> None:
    (chunk,) = chunks_of([element(text)])
    assert chunk.metadata.get("pii", []) == kinds
