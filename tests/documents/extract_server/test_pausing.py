"""A key that the service refuses: the engine is paused, nothing is lost, and it goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import leasehold as lh
from leasehold import testing
from leasehold.kit.data import Database
from leasehold_documents.data.tables import metadata
from leasehold_documents.extracting import close_engines
from leasehold_documents.monitoring import alerts_of
from tests.documents.extract_server.conftest import KEY
from tests.documents.flow.kit import FAST, Office, changed, open_office, pdf_of
from tests.documents.flow.post_office import open_post_office


@pytest.fixture
def office(queue: lh.Client, database: Database, tmp_path: Path) -> Iterator[Office]:
    with open_office(queue, database, tmp_path) as office:
        yield office
    close_engines()


def test_a_refused_key_pauses_the_engine_until_it_is_a_right_one(
    office: Office, queue: lh.Client, server: str
) -> None:
    jobs = [office.agree(office.add(data=pdf_of(f"Brief {number}"))) for number in range(2)]
    with changed(extraction_url=server, extraction_key="an old one"):
        office.work()
    (alert,) = [each for each in alerts_of(queue, office.database) if each.name == "engine"]
    assert (alert.subject, alert.level) == (FAST, "error")
    assert [row["engine"] for row in office.rows("document_pauses")] == [FAST]
    assert {office.extraction(job_id)["status"] for job_id in jobs} <= {"queued", "running"}
    assert {office.client.get(job_id).failures for job_id in jobs} == {0}
    testing.advance(office.client, "11m")
    with office.database.write() as connection:  # its clock is not moved
        connection.execute(metadata.tables["document_pauses"].delete())
    with changed(extraction_url=server, extraction_key=KEY):
        office.work()
    backends = {office.extraction(job_id)["result_json"]["backend"] for job_id in jobs}
    assert backends == {f"unstructured at {server.removeprefix('http://')}"}


def test_the_platforms_admin_is_told_once_that_a_key_is_refused(
    office: Office, server: str
) -> None:
    for number in range(2):
        office.agree(office.add(data=pdf_of(f"Brief {number}")))
    with (
        open_post_office() as post,
        changed(
            extraction_url=server,
            extraction_key="an old one",
            smtp_host="127.0.0.1",
            smtp_port=post.port,
            smtp_security="none",
            smtp_from="papiere@example.com",
            admin_email="admin@example.com",
        ),
    ):
        office.work()
    (letter,) = [each for each in post.letters if each["To"] == "admin@example.com"]
    assert letter["Subject"] == f"{FAST} is paused"
    assert "an old one" not in letter.get_content()
