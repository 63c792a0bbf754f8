"""A payload is what somebody wrote: it leads neither to others' papers nor to unpaid work."""

from __future__ import annotations

from uuid import uuid4

import pytest

from tests.documents.flow.engines import Scripted, reading_with
from tests.documents.flow.kit import FAST, HIRES, Office, another_tenant


@pytest.mark.parametrize("kind", ["extract_document", "classify_document"])
def test_a_job_for_another_tenants_document_is_dead_and_written_down(
    office: Office, kind: str
) -> None:
    document = office.add()
    office.agree(document)
    office.work()
    before = office.rows("document_chunks"), office.rows("document_ledger")
    stranger = another_tenant(office)
    args = {"document_id": str(document["id"])}
    if kind == "extract_document":
        args["engine"] = FAST
    job = stranger.client.enqueue_by_name(kind, args, queue="documents")
    office.work()
    found = office.client.get(job.id)
    assert (found.state, found.attempt) == ("dead", 1)
    assert "TENANT_MISMATCH" in str(found.error)
    assert document["name"] not in str(found.error)
    (row,) = office.rows("document_audit")
    assert (row["action"], row["tenant_id"]) == ("job.tenant_mismatch", office.tenant_id)
    assert row["detail"]["job_tenant"] == str(stranger.tenant_id)
    assert (office.rows("document_chunks"), office.rows("document_ledger")) == before


def test_a_job_with_somebodys_consent_does_only_what_that_was_for(office: Office) -> None:
    document = office.add()
    job_id = office.agree(document)
    args = {"document_id": str(document["id"]), "engine": HIRES}
    office.client.delete(job_id)
    office.access.client.enqueue_by_name("extract_document", args, queue="documents", id=job_id)
    office.work()
    assert "NO_CONSENT" in str(office.client.get(job_id).error)
    assert office.rows("document_chunks") == []


def test_a_job_for_a_document_that_is_not_there_is_cancelled(office: Office) -> None:
    args = {"document_id": str(uuid4()), "engine": FAST}
    job = office.access.client.enqueue_by_name("extract_document", args, queue="documents")
    office.work()
    assert office.client.get(job.id).state == "cancelled"


def test_a_file_that_is_gone_from_the_vault_is_no_reason_to_try_again(office: Office) -> None:
    document = office.add()
    job_id = office.agree(document)
    office.vault.delete(document["file_path"])
    office.work()
    assert office.client.get(job_id).attempt == 1
    assert office.extraction(job_id)["error_code"] == "FILE_GONE"
    assert office.money()["refund"] == 2


def test_what_the_database_refuses_is_told_without_what_it_is(office: Office) -> None:
    secret = "DE89370400440532013000"
    job_id = office.agree(office.add())
    broken = f"IBAN {secret} \ud800"  # no text of any database
    with reading_with(Scripted(text=broken)):
        office.work()
    job = office.client.get(job_id)
    assert job.state == "dead"
    assert secret not in str(job)
    assert secret not in str(office.extraction(job_id))
    assert office.money()["refund"] == 2
