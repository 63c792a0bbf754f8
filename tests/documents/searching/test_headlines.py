"""What is shown of a hit: the place that was meant, marked, and no markup but ours."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold_documents.model.words import tidy
from leasehold_documents.searching import search
from leasehold_documents.searching.asking import understand
from leasehold_documents.searching.headlines import WIDTH, Headlines
from tests.documents.searching.kit import Archive


def _headline(text: str, typed: str) -> str:
    return Headlines(understand(typed)).of(text)


@pytest.mark.parametrize(
    ("typed", "text", "shown"),
    [
        ("vertrag", "Ein Mietvertrag.", "Ein <mark>Mietvertrag</mark>."),
        ("kuendigung", "Die Kündigungen", "Die <mark>Kündigungen</mark>"),
        ("miet*", "Miete, Pacht", "<mark>Miete</mark>, Pacht"),
        ('"zum Mai"', "zum April, zum Mai", "zum April, <mark>zum</mark> <mark>Mai</mark>"),
        ("miete -pacht", "Miete ohne P.", "<mark>Miete</mark> ohne P."),
        ("agreement", "All agreements", "All <mark>agreements</mark>"),
        ("bestätigung", "Kündigungs-\nbestätigung", "<mark>Kündigungs- bestätigung</mark>"),
        (
            "b",
            "<b>a & b</b>",
            "&lt;<mark>b</mark>&gt;a &amp; <mark>b</mark>&lt;/<mark>b</mark>&gt;",
        ),
    ],
)
def test_what_was_meant_is_marked(typed: str, text: str, shown: str) -> None:
    assert _headline(text, typed) == shown


def test_a_long_text_is_cut_between_words_where_most_was_found() -> None:
    text = " ".join(["Miete", *["Wort"] * 100, "Miete", "und", "Kaution", *["Ende"] * 100])
    shown = _headline(text, "miete kaution")
    assert "<mark>Miete</mark> und <mark>Kaution</mark>" in shown
    assert shown.startswith("… Wort ")
    assert shown.endswith(" Ende …")
    assert len(re.sub("<.*?>|…", "", shown)) <= WIDTH


@given(text=st.text(max_size=600), word=st.text("abc<>&\"'äß", min_size=1, max_size=5))
def test_without_our_marks_a_headline_is_escaped_text_of_the_chunk(text: str, word: str) -> None:
    shown = _headline(f"{text} {word} a", f"{word} a")
    without = shown.replace("<mark>", "").replace("</mark>", "")
    assert "<" not in without
    assert ">" not in without
    plain = unescape(without).removeprefix("… ").removesuffix(" …")
    assert plain in " ".join(tidy(f"{text} {word} a").split())


def test_a_hostile_chunk_comes_out_of_a_search_as_text(archive: Archive) -> None:
    archive.put("evil", "<script>alert(1)</script> <mark>Vertrag</mark> \" onmouseover='x'")
    (hit,) = search(archive.access, "vertrag alert")
    assert hit.headline == (
        "&lt;script&gt;<mark>alert</mark>(1)&lt;/script&gt; &lt;mark&gt;<mark>Vertrag</mark>"
        "&lt;/mark&gt; &quot; onmouseover=&#x27;x&#x27;"
    )
