"""What is left by who was killed half-way is taken away, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest

from leasehold_documents import billing
from leasehold_documents.access import Service
from leasehold_documents.papers import sweeping
from tests.documents.flow.kit import LEASE, Office, changed, pdf_of

LONG = pdf_of(LEASE, "Anlage 1", "Anlage 2")


class Killed(BaseException):
    """Stands for a kill: nobody tidies up after it."""


def now() -> datetime:
    return datetime.now(UTC) + timedelta(seconds=1)


def test_a_file_whose_upload_was_killed_goes_and_others_stay(office: Office) -> None:
    kept = office.add("da.pdf")
    with (
        patch("leasehold_documents.papers.adding._insert", side_effect=Killed),
        patch.object(type(office.vault), "delete"),
        pytest.raises(Killed),
    ):
        office.add("weg.pdf")
    (row,) = office.rows("document_arrivals")
    key = f"tenant/{office.tenant_id}/original/{row['document_id']}/weg.pdf"
    service = Service(office.client, office.database)
    assert sweeping.sweep_files(service, now() - timedelta(days=1)) == 0
    assert office.vault.exists(key)
    assert sweeping.sweep_files(service, now()) == 1
    assert not office.vault.exists(key)
    assert office.vault.exists(kept["file_path"])
    assert office.rows("document_arrivals") == []


def test_a_batch_of_a_consent_that_was_never_given_is_cancelled(office: Office) -> None:
    with changed(range_pages=1):
        found = office.estimate(office.add("lang.pdf", LONG))
        with (
            patch("leasehold_documents.billing.enqueue_extraction", side_effect=Killed),
            pytest.raises(Killed),
        ):
            billing.confirm(office.access, found.extraction_id)
        assert sweeping.close_batches(office.client, now()) == 1
        assert [each.status for each in office.client.batches.list()] == ["cancelled"]
        billing.confirm(office.access, found.extraction_id)
        office.work(raises=True)
    assert office.money() == {"reserve": 6, "book": 6, "refund": 0}


def test_a_batch_that_was_not_sealed_ends_all_the_same(office: Office) -> None:
    with changed(range_pages=1):
        found = office.estimate(office.add("lang.pdf", LONG))
        with patch("leasehold.batches.Batch.seal", side_effect=Killed), pytest.raises(Killed):
            billing.confirm(office.access, found.extraction_id)
        office.work(raises=True)
    assert [row["status"] for row in office.rows("extractions")] == ["done"]
    assert sweeping.close_batches(office.client, now()) == 1
    assert [each.status for each in office.client.batches.list()] == ["ended"]
