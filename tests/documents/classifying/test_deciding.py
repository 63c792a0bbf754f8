"""What people decide about a paper: it is filed so, stays so, and the next ones are told by it."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents import reviewing
from leasehold_documents.classifying import Suggested, classify, file, text_of
from leasehold_documents.data.tables import documents, nodes
from leasehold_documents.errors import NotFound, Rejected
from tests.documents.searching.kit import NOW, Archive

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
