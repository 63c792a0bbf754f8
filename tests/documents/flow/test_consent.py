"""Consent first: estimate, agree, extract, and what is charged at each step."""

from __future__ import annotations

import io

import pytest

import leasehold as lh
from leasehold_documents import billing, papers
from leasehold_documents.errors import Forbidden, NotFound, Rejected, TooLate
from tests.documents.flow.kit import (
    FAST,
    HIRES,
    LEASE,
    Office,
    another_tenant,
    changed,
    colleague,
    own_price,
    pdf_of,
)

TWO_PAGES = pdf_of(LEASE, "Anlage 1: Hausordnung")


def test_an_estimate_names_pages_and_cents_and_charges_nothing(office: Office) -> None:
    document = office.add(data=TWO_PAGES)
    fast, hires = office.estimate(document), office.estimate(document, HIRES)
    assert (fast.pages, fast.cents) == (2, 4)
    assert (hires.pages, hires.cents) == (2, 10)
    assert office.rows("document_ledger") == []
    assert {row["status"] for row in office.rows("extractions")} == {"awaiting_consent"}
    assert office.client.find() == []


def test_prices_are_the_settings_unless_a_tenant_has_its_own(office: Office) -> None:
    document = office.add(data=TWO_PAGES)
    with changed(fast_cents=7):
        assert office.estimate(document).cents == 14
    own_price(office, 3)
    assert office.estimate(document).cents == 6


def test_asking_again_is_the_same_question(office: Office) -> None:
    document = office.add()
    assert office.estimate(document) == office.estimate(document)
    assert len(office.rows("extractions")) == 1


def test_consent_money_and_job_stand_together(office: Office) -> None:
    document = office.add()
    job_id = office.agree(document)
    extraction = office.extraction(job_id)
    assert extraction["status"] == "queued"
    assert extraction["consent_given_by"] == office.access.user_id
    assert extraction["consent_given_at"] is not None
    assert office.money() == {"reserve": 2, "book": 0, "refund": 0}
    job = office.client.get(job_id)
    assert job.args == {"document_id": str(document["id"]), "engine": FAST}
    assert (job.tenant, job.created_by) == (str(office.tenant_id), str(office.access.user_id))
    assert (job.max_attempts, job.state) == (4, "queued")


def test_none_of_it_stands_when_the_job_can_not_be_written(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = office.estimate(office.add())

    def refuse(*_args: object, **_options: object) -> None:
        raise lh.StoreFull("the disk is full")

    monkeypatch.setattr("leasehold_documents.billing.enqueue_extraction", refuse)
    with pytest.raises(lh.StoreFull):
        billing.confirm(office.access, found.extraction_id)
    assert office.rows("document_ledger") == []
    assert office.rows("extractions")[0]["status"] == "awaiting_consent"


def test_who_agrees_twice_pays_once_and_gets_the_same_job(office: Office) -> None:
    found = office.estimate(office.add())
    jobs = {billing.confirm(office.access, found.extraction_id) for _ in range(3)}
    assert len(jobs) == 1
    assert len(office.client.find(kind="extract_document")) == 1
    assert office.money()["reserve"] == 2


def test_a_finished_extraction_is_booked_and_found_in_its_document(office: Office) -> None:
    document = office.add(data=TWO_PAGES)
    job_id = office.agree(document)
    office.work(raises=True)
    extraction = office.extraction(job_id)
    assert extraction["status"] == "done"
    assert (extraction["actual_pages"], extraction["actual_cost_cents"]) == (2, 4)
    assert extraction["result_json"]["backend"]
    assert extraction["result_json"]["element_count"] > 0
    assert office.money() == {"reserve": 4, "book": 4, "refund": 0}
    assert billing.balance(office.access) == (4, 0, 0)
    found = papers.get(office.access, document["id"])
    assert found["current_extraction_id"] == extraction["id"]
    chunks = office.rows("document_chunks", extraction_id=extraction["id"])
    assert sorted(each["chunk_index"] for each in chunks) == list(range(len(chunks)))
    assert "Hauptstraße" in " ".join(each["text"] for each in chunks)
    result = office.client.get(job_id).result
    assert (result["page_count"], result["chunk_count"]) == (2, len(chunks))
    derived = f"tenant/{office.tenant_id}/derived/{document['id']}/unstructured.json"
    assert office.vault.exists(derived)


def test_the_same_content_is_charged_once_however_often_it_comes(office: Office) -> None:
    first, second = office.add("eins.pdf"), office.add("zwei.pdf")
    office.agree(first)
    waiting = office.agree(second)  # … while nobody knows yet that the first one will be paid
    office.work(raises=True)
    assert office.money() == {"reserve": 4, "book": 2, "refund": 2}
    assert office.extraction(waiting)["actual_cost_cents"] == 0
    third = office.add("drei.pdf")
    assert office.estimate(third).cents == 0
    office.agree(third)
    office.work(raises=True)
    assert office.money()["book"] == 2
    assert office.estimate(first, HIRES).cents == 5


def test_nothing_is_extracted_that_nobody_agreed_to(office: Office) -> None:
    document = office.add()
    office.estimate(document)
    args = {"document_id": str(document["id"]), "engine": FAST}
    job = office.access.client.enqueue_by_name("extract_document", args, queue="documents")
    office.work()
    ended = office.client.get(job.id)
    assert ended.state == "dead"
    assert "NO_CONSENT" in str(ended.error)
    assert office.rows("document_chunks") == []
    assert office.rows("document_ledger") == []


def test_consent_is_for_one_extraction_not_for_a_retry_after_the_refund(office: Office) -> None:
    job_id = office.agree(office.add("scan.pdf", pdf_of("")))
    office.work()
    assert office.extraction(job_id)["status"] == "failed"
    office.client.retry(job_id)
    office.work()
    assert "CONSENT_SPENT" in str(office.client.get(job_id).error)
    assert office.money() == {"reserve": 2, "book": 0, "refund": 2}


def test_what_has_ended_can_not_be_agreed_to(office: Office) -> None:
    found = office.estimate(office.add())
    billing.withdraw(office.access, found.extraction_id)
    with pytest.raises(TooLate):
        billing.confirm(office.access, found.extraction_id)


def test_an_engine_that_is_none_is_refused(office: Office) -> None:
    document = office.add()
    with pytest.raises(Rejected, match="UNKNOWN_ENGINE"):
        office.estimate(document, "unstructured_magic")


def test_other_tenants_documents_and_estimates_are_not_there(office: Office) -> None:
    document = office.add()
    found = office.estimate(document)
    stranger = another_tenant(office)
    for ask in (
        lambda: billing.estimate(stranger, office.vault, document["id"], FAST),
        lambda: billing.confirm(stranger, found.extraction_id),
        lambda: billing.withdraw(stranger, found.extraction_id),
        lambda: papers.get(stranger, document["id"]),
        lambda: papers.delete(stranger, document["id"]),
    ):
        with pytest.raises(NotFound):
            ask()
    assert papers.page(stranger).rows == []
    assert billing.balance(stranger) == (0, 0, 0)


def test_readers_look_and_neither_add_nor_agree(office: Office) -> None:
    found = office.estimate(office.add())
    reader = colleague(office, "reader")
    assert len(papers.page(reader).rows) == 1
    for ask in (
        lambda: papers.add(reader, office.vault, "a.txt", io.BytesIO(b"a")),
        lambda: billing.confirm(reader, found.extraction_id),
    ):
        with pytest.raises(Forbidden):
            ask()
