"""Encrypted documents: refused at once without a password, which is used once and nowhere kept."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from sqlalchemy import text

import leasehold as lh
from leasehold import testing
from leasehold_documents import billing
from leasehold_documents.tasks import forget_password
from tests.documents.flow.engines import Scripted, reading_with
from tests.documents.flow.kit import LEASE, Office, pdf_of

PASSWORD = "Geheimnis-4711-Canary"
LOCKED = pdf_of(LEASE, "Anlage 1", "Anlage 2", password=PASSWORD)


def credentials(office: Office) -> list[str]:
    return [each.name for each in office.client.credentials.list()]


def test_without_a_password_it_is_dead_at_once_and_refunded(office: Office) -> None:
    job_id = office.agree(office.add("zu.pdf", LOCKED))
    office.work()
    job = office.client.get(job_id)
    assert (job.state, job.attempt) == ("dead", 1)
    assert office.extraction(job_id)["error_code"] == "DOCUMENT_ENCRYPTED"
    assert office.money() == {"reserve": 2, "book": 0, "refund": 2}


def test_with_its_password_it_is_a_new_try_that_pays_for_all_pages(office: Office) -> None:
    document = office.add("zu.pdf", LOCKED)
    office.agree(document)
    office.work()
    job_id = office.agree(document, password=PASSWORD)
    assert credentials(office) == [f"documents.password.{office.extraction(job_id)['id']}"]
    office.work()
    assert office.extraction(job_id)["status"] == "done"
    assert office.extraction(job_id)["actual_pages"] == 3
    assert office.money() == {"reserve": 2 + 6, "book": 6, "refund": 2}
    assert credentials(office) == []


def test_nobody_pays_for_more_pages_than_were_agreed_to(office: Office) -> None:
    document = office.add("zu.pdf", LOCKED)
    guessed = office.estimate(document)
    assert guessed.pages == 1
    job_id = billing.confirm(office.access, guessed.extraction_id, password=PASSWORD)
    office.work()
    assert office.extraction(job_id)["error_code"] == "PRICE_EXCEEDED"
    assert office.money() == {"reserve": 2, "book": 0, "refund": 2}
    assert office.estimate(document).pages == 3


def test_a_wrong_password_is_used_up_too(office: Office) -> None:
    document = office.add("zu.pdf", LOCKED)
    found = office.estimate(document)
    job_id = billing.confirm(office.access, found.extraction_id, password="falsch")
    office.work()
    assert office.extraction(job_id)["error_code"] == "DOCUMENT_ENCRYPTED"
    assert credentials(office) == []


def test_a_password_is_gone_after_the_attempt_that_failed(office: Office) -> None:
    job_id = office.agree(office.add("zu.pdf", LOCKED), password=PASSWORD)

    def fail() -> None:
        raise ConnectionError("nobody answers")

    with reading_with(Scripted(fail)):
        office.work()
    assert credentials(office) == []
    testing.advance(office.client, "2m")
    office.work()
    assert office.extraction(job_id)["error_code"] == "DOCUMENT_ENCRYPTED"


def test_a_password_that_nobody_uses_is_gone_after_a_quarter_of_an_hour(office: Office) -> None:
    job_id = office.agree(office.add("zu.pdf", LOCKED), password=PASSWORD)
    office.client.queues.pause("documents")
    office.client.cancel(job_id)
    assert len(credentials(office)) == 1
    office.client.queues.resume("documents")
    testing.advance(office.client, "14m")
    testing.drain(office.client, [forget_password])
    assert len(credentials(office)) == 1
    testing.advance(office.client, "2m")
    testing.drain(office.client, [forget_password])
    assert credentials(office) == []


def test_a_consent_that_came_to_nothing_keeps_no_password(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = office.estimate(office.add("zu.pdf", LOCKED), password=PASSWORD)

    def refuse(*_args: object, **_options: object) -> None:
        raise lh.StoreFull("the disk is full")

    monkeypatch.setattr("leasehold_documents.billing.enqueue_extraction", refuse)
    with pytest.raises(lh.StoreFull):
        billing.confirm(office.access, found.extraction_id, password=PASSWORD)
    assert credentials(office) == []


def test_the_password_stands_in_no_row_file_or_log(
    office: Office, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        job_id = office.agree(office.add("zu.pdf", LOCKED), password=PASSWORD)
        waiting = everything(office)
        office.work()
    assert office.extraction(job_id)["status"] == "done"
    assert PASSWORD not in waiting
    assert PASSWORD not in everything(office)
    assert PASSWORD not in caplog.text
    for path in tmp_path.rglob("*"):
        if path.is_file() and path.suffix != ".pdf":
            assert PASSWORD.encode() not in path.read_bytes()


def everything(office: Office) -> str:
    """Read every table of the database as text."""
    listing = (
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%fts%'"
        if office.database.is_sqlite
        else "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
        " WHERE schemaname IN ('public', 'leasehold')"
    )
    with office.database.read() as connection:
        names = list(connection.scalars(text(listing)))
        return "\n".join(
            str(row)
            for name in names
            for row in connection.exec_driver_sql(f"SELECT * FROM {name}").all()  # noqa: S608
        )
