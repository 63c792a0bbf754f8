"""However an extraction ends, its state, the money and what people are told agree."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from unittest.mock import patch
from uuid import UUID

import pytest

import leasehold as lh
from leasehold import testing
from leasehold._inline import claim_next
from leasehold.registry import Registry
from leasehold_documents import billing, notifying, papers, tasks
from leasehold_documents.access import Access, remove_member
from leasehold_documents.errors import EngineClosed, Forbidden, NotFound, TooLate
from tests.documents.flow.engines import Scripted, reading_with
from tests.documents.flow.kit import ALL, FAST, HIRES, LEASE, Office, changed, pdf_of

SCAN = pdf_of("")


def ended(office: Office, job_id: UUID) -> tuple[str, str | None, dict[str, int]]:
    """Say how an extraction ended, why, and what became of the money."""
    extraction = office.extraction(job_id)
    return extraction["status"], extraction["error_code"], office.money()


def fail() -> None:
    raise ConnectionError("nobody answers")


def test_a_scan_read_fast_is_dead_at_once_and_hires_is_offered(office: Office) -> None:
    document = office.add("scan.pdf", SCAN)
    job_id = office.agree(document)
    office.work()
    job = office.client.get(job_id)
    assert (job.state, job.attempt) == ("dead", 1)
    assert ended(office, job_id) == (
        "failed",
        "NO_TEXT_LAYER",
        {"reserve": 2, "book": 0, "refund": 2},
    )
    assert papers.get(office.access, document["id"])["current_extraction_id"] is None
    assert office.estimate(document, HIRES).cents == 5


def test_a_failure_that_may_pass_is_tried_after_1_5_and_30_minutes_and_then_told(
    office: Office,
) -> None:
    job_id = office.agree(office.add())
    waits = []
    with reading_with(Scripted(fail)) as engine:
        for _ in range(3):
            office.work()
            job = office.client.get(job_id)
            assert (job.state, office.extraction(job_id)["status"]) == ("failed", "running")
            assert job.run_at is not None
            waits.append(job.run_at - store_now(office))
            testing.advance(office.client, waits[-1])
        assert notifying.unread(office.access) == 0
        office.work()
    assert [round(wait.total_seconds() / 60) for wait in waits] == [1, 5, 30]
    assert engine.calls == 4
    assert office.client.get(job_id).state == "dead"
    assert ended(office, job_id)[:2] == ("failed", "EXTRACTION_FAILED")
    assert office.money() == {"reserve": 2, "book": 0, "refund": 2}
    assert [each["kind"] for each in notifying.latest(office.access)] == ["extraction_failed"]


def store_now(office: Office) -> datetime:
    return datetime.now(UTC) + timedelta(seconds=office.client.store.skew_seconds)


def test_a_retry_that_succeeds_leaves_one_set_of_chunks_and_one_bill(office: Office) -> None:
    job_id = office.agree(office.add(data=pdf_of(LEASE, LEASE)))
    with patch("leasehold_documents.running.finishing.ledger.book", side_effect=fail):
        office.work()
    assert office.rows("document_chunks") == []
    testing.advance(office.client, "2m")
    office.work()
    assert ended(office, job_id) == ("done", None, {"reserve": 4, "book": 4, "refund": 0})
    chunks = office.rows("document_chunks")
    assert len({row["chunk_index"] for row in chunks}) == len(chunks) > 0


def test_who_is_told_is_told_once_and_sees_only_theirs(office: Office) -> None:
    office.agree(office.add())
    office.work()
    (notice,) = notifying.latest(office.access)
    assert notice["kind"] == "extraction_done"
    assert (notice["data"]["name"], notice["data"]["cents"]) == ("Mietvertrag.pdf", 2)
    assert notifying.unread(office.access) == 1
    assert notifying.mark_read(office.access) == 1
    assert notifying.mark_read(office.access) == 0
    assert notifying.unread(office.access) == 0


@pytest.mark.parametrize("by", ["person", "operator"])
def test_what_is_cancelled_while_it_waits_is_refunded(office: Office, by: str) -> None:
    found = office.estimate(office.add())
    job_id = billing.confirm(office.access, found.extraction_id)
    if by == "person":
        billing.withdraw(office.access, found.extraction_id)
    else:
        office.client.cancel(job_id)
    with reading_with(Scripted()) as engine:
        office.work()
    assert engine.calls == 0
    assert office.client.get(job_id).state == "cancelled"
    code = "CONSENT_WITHDRAWN" if by == "person" else "CANCELLED"
    assert ended(office, job_id)[:2] == ("cancelled", code)
    assert office.money() == {"reserve": 2, "book": 0, "refund": 2}
    assert [each["kind"] for each in notifying.latest(office.access)] == ["extraction_cancelled"]
    assert billing.balance(office.access).reserved_cents == 0


def test_consent_withdrawn_while_it_runs_writes_nothing(office: Office) -> None:
    found = office.estimate(office.add())
    job_id = billing.confirm(office.access, found.extraction_id)
    withdraw = partial(billing.withdraw, office.access, found.extraction_id)
    with reading_with(Scripted(withdraw)):
        office.work()
    assert office.client.get(job_id).state == "cancelled"
    assert ended(office, job_id) == (
        "cancelled",
        "CONSENT_WITHDRAWN",
        {"reserve": 2, "book": 0, "refund": 2},
    )
    assert office.rows("document_chunks") == []


def test_what_is_done_is_paid_and_can_not_be_withdrawn(office: Office) -> None:
    found = office.estimate(office.add())
    billing.confirm(office.access, found.extraction_id)
    office.work()
    with pytest.raises(TooLate):
        billing.withdraw(office.access, found.extraction_id)
    assert office.money() == {"reserve": 2, "book": 2, "refund": 0}


@pytest.mark.parametrize("moment", ["waiting", "running"])
def test_a_deleted_document_takes_its_extraction_and_its_files_along(
    office: Office, moment: str
) -> None:
    document = office.add()
    job_id = office.agree(document)
    delete = partial(papers.delete, office.access, document["id"])
    if moment == "waiting":
        delete()
    with reading_with(Scripted(delete if moment == "running" else lambda: None)):
        office.work()
    assert office.client.get(job_id).state == "cancelled"
    assert office.money() == {"reserve": 2, "book": 0, "refund": 2}
    for table in ("documents", "extractions", "document_chunks"):
        assert office.rows(table) == []
    assert not office.vault.exists(document["file_path"])
    with pytest.raises(NotFound):
        delete()


def test_a_worker_that_is_late_leaves_no_file_of_a_deleted_document(office: Office) -> None:
    document = office.add()
    job_id = office.agree(document)

    def delete_and_sweep() -> None:
        papers.delete(office.access, document["id"])
        testing.drain(office.client, [tasks.forget_files])

    with reading_with(Scripted(delete_and_sweep)):
        office.work()
    assert office.client.get(job_id).state == "cancelled"
    derived = f"tenant/{office.tenant_id}/derived/{document['id']}/unstructured.json"
    assert not office.vault.exists(derived)
    assert not office.vault.exists(document["file_path"])


def test_all_that_was_made_of_a_document_goes_with_it(office: Office) -> None:
    document = office.add()
    office.agree(document)
    office.work()
    papers.delete(office.access, document["id"])
    office.work()
    assert office.rows("document_chunks") == []
    derived = f"tenant/{office.tenant_id}/derived/{document['id']}/unstructured.json"
    assert not office.vault.exists(derived)
    assert office.money()["book"] == 2


def test_who_leaves_takes_their_consent_along(office: Office) -> None:
    job_id = office.agree(office.add())
    cancel = partial(billing.cancel_agreed, office.client, office.database)
    leaver = office.access.user_id, office.tenant_id
    assert remove_member(office.database, *leaver, cancel=cancel)
    office.work()
    assert office.client.get(job_id).state == "cancelled"
    assert ended(office, job_id) == (
        "cancelled",
        "MEMBERSHIP_REMOVED",
        {"reserve": 2, "book": 0, "refund": 2},
    )
    assert office.rows("notifications") == []  # who has left is told nothing any more
    with pytest.raises(Forbidden):
        Access(office.client, office.database, *leaver)


def test_an_extraction_that_takes_too_long_is_refunded(office: Office) -> None:
    short: Any = tasks.extract_document.with_options(timeout=0.2, max_attempts=1)
    with patch("leasehold_documents.running.enqueuing.extract_document", short):
        job_id = office.agree(office.add())

    def dawdle() -> None:
        while True:
            time.sleep(0.01)

    with reading_with(Scripted(dawdle)):
        lh.Worker(office.client, ALL).run(until_empty=True)
    assert office.client.get(job_id).state == "dead"
    assert ended(office, job_id)[0] == "failed"
    assert office.money() == {"reserve": 2, "book": 0, "refund": 2}


def test_an_extraction_whose_workers_all_die_is_refunded(office: Office) -> None:
    job_id = office.agree(office.add())
    store = office.client.store
    while office.client.get(job_id).state != "dead":
        claim = claim_next(office.client, Registry(ALL))
        assert claim is not None
        assert claim.job_id == job_id
        testing.advance(office.client, "2h")
        store.reclaim([(each, 0.0) for each in store.lapsed(limit=10)])
    office.work()
    assert ended(office, job_id)[:2] == ("failed", "EXTRACTION_FAILED")
    assert office.money() == {"reserve": 2, "book": 0, "refund": 2}
    assert notifying.unread(office.access) == 1


def test_a_service_that_refuses_our_key_pauses_the_engine_for_all_and_costs_no_attempt(
    office: Office,
) -> None:
    jobs = [office.agree(office.add(data=pdf_of(f"Brief {number}"))) for number in range(3)]

    def refuse() -> None:
        raise EngineClosed("401")

    with changed(extraction_url="http://localhost:1"):
        with reading_with(Scripted(refuse)) as engine:
            office.work()
        assert engine.calls == 1
        assert {office.client.get(job_id).failures for job_id in jobs} == {0}
        assert [row["engine"] for row in office.rows("document_pauses")] == [FAST]
        assert [row["action"] for row in office.rows("document_audit")] == ["engine.paused"]
    with reading_with(Scripted()):
        testing.advance(office.client, "11m")
        office.work()
    assert {office.extraction(job_id)["status"] for job_id in jobs} == {"done"}
