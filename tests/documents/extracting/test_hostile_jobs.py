"""A worker, as a process of its own, is given every hostile file there is, and lives."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch
from uuid import UUID

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents import papers
from leasehold_documents.errors import Rejected
from leasehold_documents.extracting import Inspection
from tests.documents.extracting.hostile import CANARY, CORPUS
from tests.documents.flow.kit import Office, open_office

_SECONDS = 90.0
_UNKNOWN = Inspection(media_type="", page_count=1)


@pytest.fixture(scope="module")
def hostile_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("hostile")
    for number, hostile in enumerate(CORPUS.values()):
        hostile.make(folder / f"{number}")
    return {name: (folder / f"{number}").read_bytes() for number, name in enumerate(CORPUS)}


@pytest.fixture
def office(queue: lh.Client, database: Database, tmp_path: Path) -> Iterator[Office]:
    with open_office(queue, database, tmp_path) as office:
        yield office


@contextmanager
def working(url: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker until the end of the block; what it says is in a file."""
    said = {"LEASEHOLD_URL": url, "LEASEHOLD_DOCUMENTS_VAULT": str(folder / "vault")}
    limits = {"LEASEHOLD_DOCUMENTS_PARSER_SECONDS": "3"}
    with (folder / "log").open("wb") as log:
        worker = subprocess.Popen(
            [sys.executable, "-m", "leasehold_documents.cli", "work"],
            env={**os.environ, **said, **limits, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=log,
            stderr=log,
        )
        try:
            yield worker
        finally:
            worker.kill()
            worker.wait()


def send(office: Office, files: dict[str, bytes]) -> tuple[dict[str, str], dict[str, UUID]]:
    """Add them all; returns what was refused at the door, and the jobs of the others.

    What an estimate would refuse is let through, so that the worker meets it.
    """
    refused: dict[str, str] = {}
    jobs: dict[str, UUID] = {}
    for name, data in files.items():
        try:
            document = papers.add(office.access, office.vault, f"{name}.pdf", io.BytesIO(data))
        except Rejected as error:
            refused[name] = error.code
        else:
            with patch("leasehold_documents.billing.inspect", lambda *_, **__: _UNKNOWN):
                jobs[name] = office.agree(document)
    return refused, jobs


def code_of(office: Office, job_id: UUID) -> str:
    """Wait for what the extraction's end is told to be, which a job of its own writes down."""
    deadline = time.monotonic() + _SECONDS
    while (row := office.extraction(job_id))["status"] not in {"done", "failed"}:
        assert time.monotonic() < deadline, row["status"]
        time.sleep(0.02)
    return row["error_code"] or ""


def test_every_hostile_file_ends_with_its_code_and_the_worker_goes_on(
    office: Office, url: str, tmp_path: Path, hostile_files: dict[str, bytes]
) -> None:
    refused, jobs = send(office, hostile_files)
    with working(url, tmp_path) as worker:
        office.client.wait_all(jobs.values(), timeout=_SECONDS, return_errors=True)
        last = office.agree(office.add("Mietvertrag.pdf"))
        assert office.client.wait(last, timeout=_SECONDS)["page_count"] == 1
        codes = {name: code_of(office, job_id) for name, job_id in jobs.items()}
        assert worker.poll() is None
    ended = {**refused, **codes}
    assert {name: code for name, code in ended.items() if code not in CORPUS[name].codes} == {}
    assert {*ended} == {*CORPUS}
    assert CANARY not in (tmp_path / "log").read_bytes()
    messages = [row["error_message"] or "" for row in office.rows("extractions")]
    assert not any(CANARY.decode() in message for message in messages)
