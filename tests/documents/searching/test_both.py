"""One corpus in both databases: whatever is typed finds the same chunks, in the same order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text as sql

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.access import Access
from leasehold_documents.errors import Rejected
from leasehold_documents.searching import search
from tests.app_tables import copy_file
from tests.documents.conftest import TABLES
from tests.documents.searching.corpus import NAMES, QUERIES, STREETS, TOPICS, papers
from tests.documents.searching.kit import Archive
from tests.postgres_server import PostgresServer

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
def archives(
    postgres_server: PostgresServer,
    sqlite_template: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Archive]]:
    """The same papers in both, put there once: nothing here changes them."""
    url = postgres_server.create_database()
    TABLES.make(url)
    file = copy_file(sqlite_template, tmp_path_factory.mktemp("both"))
    with ExitStack() as opened:
        yield {"postgres": _filled(opened, url), "sqlite": _filled(opened, file)}
    postgres_server.drop_database(url)


def _filled(opened: ExitStack, url: str) -> Archive:
    client = opened.enter_context(lh.Client(url))
    database = Database(client.url)
    opened.callback(database.close)
    archive = Archive(client, database)
    Archive(client, database, "Fremde AG").put("foreign", *(f"{topic} Müller" for topic in TOPICS))
    archive.put_all(papers())
    return archive


def _shown(access: Access, typed: str) -> list[tuple[Any, ...]] | str:
    """Tell all of a hit but its ids, or why nothing was looked for."""
    try:
        hits = search(access, typed, limit=100)
    except Rejected as error:
        return error.code
    return [(hit.name, hit.chunk_index, hit.score, hit.headline) for hit in hits]


def test_the_corpus_is_found_the_same_way_in_the_same_order(archives: dict[str, Archive]) -> None:
    shown = {
        store: {typed: _shown(archive.access, typed) for typed in QUERIES}
        for store, archive in archives.items()
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
    archives: dict[str, Archive], typed: str
) -> None:
    shown = [_shown(archive.access, typed) for archive in archives.values()]
    assert shown[0] == shown[1]


@settings(max_examples=80)
@given(typed=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_any_text_can_be_typed_whatever_its_signs_mean_to_a_database(
    archives: dict[str, Archive], typed: str
) -> None:
    shown = [_shown(archive.access, typed) for archive in archives.values()]
    assert shown[0] == shown[1]


def test_the_seeds_own_query_finds_nothing_that_ours_does_not(archives: dict[str, Archive]) -> None:
    archive = archives["postgres"]
    typed = ["mietvertrag hauptstraße", *TOPICS, *NAMES, *STREETS]
    typed += [" ".join(pair) for pair in product(TOPICS[::3], (*NAMES[::3], *STREETS[::2]))]
    typed += ["der Mieter", "ordentliche Kündigungen", "Schreiben eingegangen", "Muller", "können"]
    found = 0
    for each in typed:
        with archive.database.read() as connection:
            said = {"typed": each, "tenant_id": archive.tenant_id}
            seeds = {tuple(row) for row in connection.execute(SEED, said)}
        assert seeds <= archive.every_hit(each), each
        found += len(seeds)
    assert found > 1_000
