"""What people decide about a paper: it is filed so, stays so, and the next ones are told by it."""

from __future__ import annotations

from threading import Thread
from uuid import UUID, uuid4

import pytest
from sqlalchemy import delete, select

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents import reviewing
from leasehold_documents.access import Access, add_member
from leasehold_documents.classifying import Suggested, classify, file, text_of
from leasehold_documents.data.tables import documents, nodes
from leasehold_documents.errors import Forbidden, NotFound, Rejected
from tests.documents.classifying.papers import EXPERT, MINUTES
from tests.documents.searching.kit import NOW, Archive, wait_for_waiter

INVOICE = (
    "Rechnung Nr. 17\nRechnungsdatum 1. März 2026. Nettobetrag 100 EUR, zuzüglich 19 % "
    "Umsatzsteuer. Gesamtbetrag zahlbar bis zum 31. März."
)
LETTER = "Kündigung des Mietvertrags\nSehr geehrte Frau Vermieterin, wir ziehen aus."
NOISE = "Lorem ipsum dolor sit amet."


@pytest.fixture
def archive(queue: lh.Client, database: Database) -> Archive:
    return Archive(queue, database)


def _classified(archive: Archive, text: str) -> tuple[UUID, Suggested]:
    document_id = archive.put(text.split("\n", maxsplit=1)[0], text)
    with archive.database.write() as connection:
        whole = text_of(connection, archive.tenant_id, document_id)
        suggested = classify(connection, archive.tenant_id, whole)
        file(connection, archive.tenant_id, document_id, suggested, NOW)
    return document_id, suggested


def _filed(archive: Archive, document_id: UUID) -> tuple[str | None, str | None]:
    """Tell a paper's type, and the name of its place."""
    wanted = (
        select(documents.c.doc_type, nodes.c.name)
        .outerjoin(nodes, nodes.c.id == documents.c.node_id)
        .where(documents.c.id == document_id)
    )
    with archive.access.read() as connection:
        row = connection.execute(wanted).one()
    return row.doc_type, row.name


def test_a_plain_invoice_is_filed_among_invoices_without_asking(archive: Archive) -> None:
    document_id, suggested = _classified(archive, INVOICE)
    assert (suggested.doc_type, suggested.state) == ("Rechnung", "filed")
    assert _filed(archive, document_id) == ("Rechnung", "Rechnungen")
    assert reviewing.pending(archive.access) == []


def test_what_is_likely_waits_for_review_and_what_is_unknown_in_the_inbox(archive: Archive) -> None:
    likely, suggested = _classified(archive, LETTER)
    unknown, _ = _classified(archive, NOISE)
    assert 0.6 <= suggested.confidence < 0.85
    rows = reviewing.pending(archive.access)
    shown = [(row["document_id"], row["state"], row["doc_type"]) for row in rows]
    assert shown == [(likely, "review", "Kündigung"), (unknown, "inbox", None)]
    assert _filed(archive, likely) == (None, None)


def test_an_accepted_paper_is_filed_and_no_reading_again_takes_that_back(archive: Archive) -> None:
    document_id, _ = _classified(archive, LETTER)
    reviewing.accept(archive.access, document_id)
    with archive.database.write() as connection:
        other = Suggested(doc_type="Brief", confidence=0.99)
        assert file(connection, archive.tenant_id, document_id, other, NOW) == "accepted"
    assert _filed(archive, document_id) == ("Kündigung", "Kündigungen")


def test_a_corrected_paper_goes_where_such_papers_are_filed(archive: Archive) -> None:
    document_id, _ = _classified(archive, INVOICE)
    reviewing.correct(archive.access, document_id, "Mahnung")
    assert _filed(archive, document_id) == ("Mahnung", "Mahnungen")
    shown = reviewing.get(archive.access, document_id)
    assert shown is not None
    assert (shown["state"], shown["decided_type"]) == ("corrected", "Mahnung")


def test_a_rejected_paper_has_no_type_any_more(archive: Archive) -> None:
    document_id, _ = _classified(archive, INVOICE)
    reviewing.reject(archive.access, document_id)
    assert _filed(archive, document_id) == (None, None)


def test_nothing_can_be_accepted_where_nothing_was_suggested(archive: Archive) -> None:
    document_id, _ = _classified(archive, NOISE)
    with pytest.raises(Rejected, match="NOTHING_SUGGESTED"):
        reviewing.accept(archive.access, document_id)
    with pytest.raises(NotFound):
        reviewing.accept(archive.access, uuid4())
    with pytest.raises(NotFound):
        reviewing.correct(archive.access, document_id, "Brief", node_id=uuid4())


def _decide(archive: Archive, pattern: str, doc_type: str, days: range) -> list[UUID]:
    """Let a person say of so many papers what they are."""
    papers = [_classified(archive, pattern.format(day=day))[0] for day in days]
    for document_id in papers:
        reviewing.correct(archive.access, document_id, doc_type)
    return papers


def _state(archive: Archive, text: str) -> tuple[str | None, str]:
    with archive.database.read() as connection:
        suggested = classify(connection, archive.tenant_id, text)
    return suggested.doc_type, suggested.state


def test_a_tenants_own_types_are_learnt_and_unlearnt_with_its_papers(
    archive: Archive, queue: lh.Client, database: Database
) -> None:
    other = Archive(queue, database, "Andere AG")
    papers = _decide(archive, EXPERT, "Gutachten", range(1, 9))
    _decide(archive, MINUTES, "Protokoll", range(1, 9))
    assert _state(archive, EXPERT.format(day=27)) == ("Gutachten", "filed")
    assert _state(other, EXPERT.format(day=27)) == (None, "inbox")
    with database.write() as connection:
        connection.execute(delete(documents).where(documents.c.id.in_(papers)))
    assert _state(archive, EXPERT.format(day=27))[0] != "Gutachten"


def test_what_people_correct_again_and_again_is_filed_their_way(archive: Archive) -> None:
    assert _state(archive, INVOICE) == ("Rechnung", "filed")
    _decide(archive, INVOICE + " Wartung {day}", "Wartung", range(1, 13))
    _decide(archive, MINUTES, "Protokoll", range(1, 13))
    assert _state(archive, INVOICE) == ("Wartung", "filed")


def test_a_rejected_paper_teaches_nothing(archive: Archive) -> None:
    papers = _decide(archive, EXPERT, "Gutachten", range(1, 9))
    _decide(archive, MINUTES, "Protokoll", range(1, 9))
    for document_id in papers:
        reviewing.reject(archive.access, document_id)
    assert _state(archive, EXPERT.format(day=27))[0] != "Gutachten"


def test_a_reader_decides_nothing_and_nobody_decides_about_anothers_papers(
    archive: Archive, queue: lh.Client, database: Database
) -> None:
    document_id, _ = _classified(archive, LETTER)
    add_member(database, archive.access.user_id, archive.tenant_id, "reader")
    reader = Access(queue, database, archive.access.user_id, archive.tenant_id)
    stranger = Archive(queue, database, "Andere AG").access
    assert [row["document_id"] for row in reviewing.pending(reader)] == [document_id]
    assert reviewing.pending(stranger) == []
    assert reviewing.get(stranger, document_id) is None
    with pytest.raises(Forbidden):
        reviewing.accept(reader, document_id)
    for decide in (reviewing.accept, reviewing.reject):
        with pytest.raises(NotFound):
            decide(stranger, document_id)
    with pytest.raises(NotFound):
        reviewing.correct(stranger, document_id, "Brief")
    assert _filed(archive, document_id) == (None, None)


@pytest.mark.parametrize("doc_type", ["", "  ", "x" * 101])
def test_a_type_has_a_name_that_fits(archive: Archive, doc_type: str) -> None:
    document_id, _ = _classified(archive, NOISE)
    with pytest.raises(Rejected, match="BAD_TYPE"):
        reviewing.correct(archive.access, document_id, doc_type)


def test_a_paper_that_was_not_read_yet_is_not_filed(archive: Archive) -> None:
    sure = Suggested(doc_type="Brief", confidence=0.9)
    with archive.database.write() as connection, pytest.raises(NotFound):
        file(connection, archive.tenant_id, uuid4(), sure, NOW)


def test_a_person_who_decides_while_the_paper_is_classified_has_the_last_word(
    archive: Archive,
) -> None:
    document_id, _ = _classified(archive, LETTER)
    states: list[str] = []

    def reclassify() -> None:
        with archive.database.write() as connection:
            sure = Suggested(doc_type="Brief", confidence=0.99)
            states.append(file(connection, archive.tenant_id, document_id, sure, NOW))

    thread = Thread(target=reclassify)
    with archive.access.write() as session:
        connection = session.connection()
        reviewing._suggestion(connection, archive.tenant_id, document_id)
        reviewing._decide(
            connection,
            archive.access,
            document_id,
            state="corrected",
            doc_type="Mahnung",
            node_id=None,
        )
        thread.start()
        wait_for_waiter(archive.database)
    thread.join()
    assert states == ["corrected"]
    assert _filed(archive, document_id)[0] == "Mahnung"
