"""A long document is read in ranges of pages, as a batch, and is one document all the same."""

from __future__ import annotations

import pytest

from leasehold_documents import billing
from leasehold_documents.errors import Rejected
from tests.documents.flow.engines import Scripted, reading_with
from tests.documents.flow.kit import Office, changed, pdf_of

PAGES = tuple(f"Seite {number}: Abschnitt{number} des Vertrags" for number in range(1, 8))
LONG = pdf_of(*PAGES)


def test_its_ranges_are_a_batch_and_its_chunks_are_those_of_the_whole(office: Office) -> None:
    whole = office.agree(office.add("kurz.pdf", LONG))
    office.work(raises=True)
    other = pdf_of(*PAGES, "Ende")
    with changed(range_pages=3):
        job_id = office.agree(office.add("lang.pdf", other))
        batch_id = office.client.get(job_id).batch
        assert batch_id is not None
        assert office.client.batches.get(batch_id).counts.total == 4
        office.work(raises=True)
    assert office.client.batches.get(batch_id).status == "ended"
    extraction = office.extraction(job_id)
    assert (extraction["status"], extraction["actual_pages"]) == ("done", 8)
    assert office.client.get(job_id).result["page_count"] == 8
    assert office.money() == {"reserve": 14 + 16, "book": 14 + 16, "refund": 0}
    texts = chunk_texts(office, extraction["id"])
    assert texts[:7] == chunk_texts(office, office.extraction(whole)["id"])


def chunk_texts(office: Office, extraction_id: object) -> list[tuple[int, str]]:
    rows = office.rows("document_chunks", extraction_id=extraction_id)
    return [
        (row["page_number"], row["text"]) for row in sorted(rows, key=lambda r: r["chunk_index"])
    ]


def test_what_its_ranges_have_saved_is_gone_afterwards(office: Office) -> None:
    with changed(range_pages=3):
        document = office.add("lang.pdf", LONG)
        job_id = office.agree(document)
        office.work(raises=True)
    extraction_id = office.extraction(job_id)["id"]
    for first in (1, 4, 7):
        key = f"tenant/{office.tenant_id}/derived/{document['id']}/{extraction_id}/{first}.json"
        assert not office.vault.exists(key)


def test_one_range_that_fails_for_good_is_the_documents_failure(office: Office) -> None:
    with changed(range_pages=3):
        job_id = office.agree(office.add("lang.pdf", LONG))

        def reject() -> None:
            raise Rejected("UNREADABLE", "the page is broken")

        with reading_with(Scripted(reject)):
            office.work()
    extraction = office.extraction(job_id)
    assert (extraction["status"], extraction["error_code"]) == ("failed", "UNREADABLE")
    assert office.money() == {"reserve": 14, "book": 0, "refund": 14}


@pytest.mark.parametrize("by", ["person", "batch", "job"])
def test_who_cancels_it_cancels_all_ranges(office: Office, by: str) -> None:
    with changed(range_pages=3):
        found = office.estimate(office.add("lang.pdf", LONG))
        job_id = billing.confirm(office.access, found.extraction_id)
        if by == "person":
            billing.withdraw(office.access, found.extraction_id)
        elif by == "batch":
            office.client.batches.cancel(office.client.get(job_id).batch or "")
        else:
            office.client.cancel(job_id)
        with reading_with(Scripted()) as engine:
            office.work()
    assert engine.calls == 0
    members = office.client.find(batch=office.client.get(job_id).batch)
    assert [job.state for job in members] == ["cancelled"] * 4
    assert office.extraction(job_id)["status"] == "cancelled"
    assert office.money() == {"reserve": 14, "book": 0, "refund": 14}


def test_an_encrypted_long_one_is_read_with_one_password(office: Office) -> None:
    locked = pdf_of(*PAGES, password="geheim")
    with changed(range_pages=3):
        job_id = office.agree(office.add("lang.pdf", locked), password="geheim")
        office.work(raises=True)
    assert office.extraction(job_id)["status"] == "done"
    assert office.client.credentials.list() == []
