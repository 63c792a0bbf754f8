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
from tests.documents.extract_server.conftest import KEY
from tests.documents.flow.kit import FAST, Office, changed, open_office, pdf_of


@pytest.fixture
def office(queue: lh.Client, database: Database, tmp_path: Path) -> Iterator[Office]:
    with open_office(queue, database, tmp_path) as office:
        yield office
    close_engines()


def test_a_refused_key_pauses_the_engine_until_it_is_a_right_one(
    office: Office, server: str
) -> None:
    jobs = [office.agree(office.add(data=pdf_of(f"Brief {number}"))) for number in range(2)]
    with changed(extraction_url=server, extraction_key="an old one"):
        office.work()
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
