"""Search finds a document's current extraction: nothing older, nothing deleted, nothing twice."""

from __future__ import annotations

from threading import Thread
from uuid import uuid4

import pytest
from sqlalchemy import delete, func, select, text, update

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.access import Service
from leasehold_documents.data.tables import documents, extractions, terms
from leasehold_documents.errors import NotFound
from leasehold_documents.searching import forget, index_chunks, mark, reindex, search
from tests.documents.searching.kit import Archive, wait_for_waiter


def _count(archive: Archive) -> int:
    """Count what the index knows, in SQLite's own table as well."""
    with archive.database.read() as connection:
        rows = connection.scalar(select(func.count()).select_from(terms)) or 0
        if archive.database.is_sqlite:
            words = connection.scalar(text("SELECT count(*) FROM document_words"))
            connection.execute(text("SELECT * FROM document_words WHERE document_words MATCH 'x'"))
            assert words == rows
    return rows


def test_a_new_extraction_takes_the_place_of_the_one_before(archive: Archive) -> None:
    document_id = archive.put("paper", "ein Mietvertrag", "eine Kaution")
    with archive.database.write() as connection:
        archive.extract(connection, document_id, ["ein Kaufvertrag"])
    assert archive.found("kaufvertrag") == ["paper"]
    assert archive.found("mietvertrag oder kaution") == []
    assert _count(archive) == 1


def test_writing_an_extraction_again_changes_nothing(archive: Archive) -> None:
    document_id = archive.put("paper", "ein Mietvertrag", "eine Kaution")
    before = [(hit.chunk_id, hit.score) for hit in search(archive.access, "mietvertrag")]
    with archive.database.write() as connection:
        current = connection.scalar(
            select(documents.c.current_extraction_id).where(documents.c.id == document_id)
        )
        assert current is not None
        assert index_chunks(connection, archive.tenant_id, current) == 2
    after = [(hit.chunk_id, hit.score) for hit in search(archive.access, "mietvertrag")]
    assert before == after
    assert _count(archive) == 2


def test_what_was_analysed_beforehand_is_found_as_if_it_were_now(archive: Archive) -> None:
    document_id = archive.put("paper", "ein Mietvertrag", "eine Kaution")
    with archive.database.write() as connection:
        current = connection.scalar(
            select(documents.c.current_extraction_id).where(documents.c.id == document_id)
        )
        assert current is not None
        marked = [mark("ein Mietvertrag"), mark("eine Kaution")]
        index_chunks(connection, archive.tenant_id, current, marked=marked)
    assert [hit.chunk_index for hit in search(archive.access, "kaution")] == [1]


def test_an_extraction_that_is_not_the_current_one_is_not_shown(archive: Archive) -> None:
    document_id = archive.put("paper", "ein Mietvertrag")
    with archive.database.write() as connection:
        other = {"current_extraction_id": uuid4()}
        connection.execute(update(documents).where(documents.c.id == document_id).values(other))
    assert archive.found("mietvertrag") == []


def test_a_deleted_document_leaves_nothing_in_the_index(archive: Archive) -> None:
    document_id = archive.put("gone", "ein Mietvertrag")
    archive.put("stays", "ein Mietvertrag")
    with archive.database.write() as connection:
        connection.execute(delete(documents).where(documents.c.id == document_id))
    assert archive.found("mietvertrag") == ["stays"]
    assert _count(archive) == 1


def test_a_deleted_extraction_leaves_nothing_in_the_index(archive: Archive) -> None:
    archive.put("gone", "ein Mietvertrag")
    with archive.database.write() as connection:
        connection.execute(delete(extractions))
    assert _count(archive) == 0


def test_what_is_forgotten_is_not_found(archive: Archive) -> None:
    document_id = archive.put("paper", "ein Mietvertrag")
    with archive.database.write() as connection:
        forget(connection, uuid4(), document_id)
        assert connection.scalar(select(func.count()).select_from(terms)) == 1
        forget(connection, archive.tenant_id, document_id)
    assert archive.found("mietvertrag") == []


def test_nothing_is_indexed_for_another_tenants_extraction(archive: Archive) -> None:
    archive.put("paper", "ein Mietvertrag")
    with archive.database.write() as connection:
        extraction_id = connection.scalar(select(extractions.c.id))
        assert extraction_id is not None
        with pytest.raises(NotFound):
            index_chunks(connection, uuid4(), extraction_id)


def test_reindexing_finds_all_again_of_one_tenant_or_of_all(
    archive: Archive, queue: lh.Client, database: Database
) -> None:
    other = Archive(queue, database, "Andere AG")
    for each in (archive, other):
        each.put("one", "ein Mietvertrag", "eine Kaution")
        each.put("two", "ein Mietvertrag")
    with database.write() as connection:
        connection.execute(delete(terms))
    service = Service(queue, database)
    assert reindex(service, archive.tenant_id) == 3
    assert set(archive.found("mietvertrag")) == {"one", "two"}
    assert other.found("mietvertrag") == []
    assert reindex(service) == 6
    assert set(other.found("mietvertrag oder kaution")) == {"one", "two"}


def test_words_of_any_length_are_indexed_and_found(archive: Archive) -> None:
    long = "Donaudampfschifffahrt" * 40
    archive.put("long", f"Die {long} und {'漢字' * 400} \x1f \U0001f600 \u202e")
    assert archive.found(long) == ["long"]
    assert archive.found("漢字漢字*") == ["long"]


def test_of_two_extractions_that_end_at_once_the_later_one_is_found_alone(archive: Archive) -> None:
    document_id = archive.put("paper", "ein Anfang")

    def extract_again() -> None:
        with archive.database.write() as connection:
            archive.extract(connection, document_id, ["ein Kaufvertrag"])

    thread = Thread(target=extract_again)
    with archive.database.write() as connection:
        archive.extract(connection, document_id, ["ein Mietvertrag"])
        thread.start()
        wait_for_waiter(archive.database)
    thread.join()
    assert archive.found("vertrag") == ["paper"]
    assert archive.found("mietvertrag") == []
    assert _count(archive) == 1
