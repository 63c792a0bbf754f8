"""One corpus in both databases: whatever is typed finds the same chunks, in the same order."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text as sql

from leasehold_documents.access import Access
from leasehold_documents.errors import Rejected
from leasehold_documents.searching import search
from tests.documents.searching.corpus import NAMES, QUERIES, STREETS, TOPICS, papers
from tests.documents.searching.kit import Archive

# As the seed has it, but for the ranking and the limit.
SEED = sql("""
SELECT dc.document_id, dc.chunk_index
FROM document_chunks dc
JOIN documents d ON d.id = dc.document_id
CROSS JOIN plainto_tsquery('german', :typed) query
WHERE to_tsvector('german', dc.text) @@ query
  AND dc.tenant_id = :tenant_id
""")
NOTHING = {"gibtesnicht", "a b c d e", "müller -straße -mahnung", "1.007,07", "signed -deposit"}


@pytest.fixture(scope="module")
def filled(archives: dict[str, Archive]) -> dict[str, Archive]:
    """The same papers in both, beside those of another tenant."""
    for archive in archives.values():
        other = Archive(archive.queue, archive.database, "Fremde AG")
        other.put("foreign", *(f"{topic} Müller" for topic in TOPICS))
        archive.put_all(papers())
    return archives


def _shown(access: Access, typed: str) -> list[tuple[Any, ...]] | str:
    """Tell all of a hit but its ids, or why nothing was looked for."""
    try:
        hits = search(access, typed, limit=100)
    except Rejected as error:
        return error.code
    return [(hit.name, hit.chunk_index, hit.score, hit.headline) for hit in hits]


def test_the_corpus_is_found_the_same_way_in_the_same_order(filled: dict[str, Archive]) -> None:
    shown = {
        store: {typed: _shown(archive.access, typed) for typed in QUERIES}
        for store, archive in filled.items()
    }
    assert shown["postgres"] == shown["sqlite"]
    assert {typed for typed, hits in shown["sqlite"].items() if not hits} <= NOTHING


WORDS = st.sampled_from([*TOPICS, *NAMES, *STREETS, "ordentliche", "agreement", "der", "17", "BGB"])
SIGNS = st.sampled_from(["{}", "{}", "-{}", "{}*", '"{} {}"', "{} oder", "{}-{}", '-"{} {}"'])


@st.composite
def _questions(draw: st.DrawFn) -> str:
    signs = draw(st.lists(SIGNS, min_size=1, max_size=5))
    return " ".join(sign.format(draw(WORDS), draw(WORDS)) for sign in signs)


@settings(max_examples=80)
@given(typed=_questions())
def test_any_mixture_of_words_and_signs_finds_the_same(
    filled: dict[str, Archive], typed: str
) -> None:
    shown = [_shown(archive.access, typed) for archive in filled.values()]
    assert shown[0] == shown[1]


@settings(max_examples=80)
@given(typed=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_can_be_typed_whatever_its_signs_mean_to_a_database(
    filled: dict[str, Archive], typed: str
) -> None:
    shown = [_shown(archive.access, typed) for archive in filled.values()]
    assert shown[0] == shown[1]


def test_the_seeds_own_query_finds_nothing_that_ours_does_not(filled: dict[str, Archive]) -> None:
    archive = filled["postgres"]
    typed = ["mietvertrag hauptstraße", *TOPICS, *NAMES, *STREETS]
    typed += [" ".join(pair) for pair in product(TOPICS[::5], (*NAMES[::4], *STREETS[::3]))]
    typed += ["der Mieter", "ordentliche Kündigungen", "Schreiben eingegangen", "Muller", "können"]
    found = 0
    for each in typed:
        with archive.database.read() as connection:
            said = {"typed": each, "tenant_id": archive.tenant_id}
            seeds = {tuple(row) for row in connection.execute(SEED, said)}
        assert seeds <= archive.every_hit(each), each
        found += len(seeds)
    assert found > 500
