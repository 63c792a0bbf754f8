"""Documents: small PDFs from consent to search, how soon one is begun, and beside a backlog."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any
from unittest.mock import patch
from uuid import UUID, uuid4

from fpdf import FPDF
from sqlalchemy import func, insert, select

import leasehold as lh
from bench import probes
from bench.fleet import BenchFailed
from leasehold.kit.data import Database as Tables
from leasehold.kit.data import close_databases, database_of
from leasehold_documents import billing, papers
from leasehold_documents.access import Access, add_member, create_organization, create_user
from leasehold_documents.data.migrating import MIGRATIONS
from leasehold_documents.data.tables import documents, extractions
from leasehold_documents.extracting import close_engines
from leasehold_documents.settings import settings
from leasehold_documents.tasks import extract_document
from leasehold_documents.vault import Vault, close_vaults, vault_of

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

FAST = "unstructured_fast"
_LOOK_SECONDS = 0.02
_MOST_SECONDS = 1800.0
_STEP = 1_000
_TEXT = (
    "Zwischen der Muster Hausverwaltung und dem Mieter wird folgender Mietvertrag über die Wohnung"
    " Nummer {number} geschlossen. Die monatliche Miete beträgt {number} Euro und ist bis zum"
    " dritten Werktag eines Monats zu zahlen. "
)


def extract_small(database: Database, size: Size) -> Figures:
    """Extract so many PDFs of two pages that were agreed to, with one worker process."""
    with _opened(database) as office:
        office.agree_to_all(office.add(number) for number in range(size.jobs))
        with _worker(database.url) as worker:
            cpu = probes.cpu_seconds(worker.pid)
            started = worker.release()
            office.wait_for(size.jobs)
            found = time.perf_counter() - started
            _wait(lambda: database.count_standing() == 0)
            seconds = time.perf_counter() - started
            used = probes.cpu_seconds(worker.pid) - cpu
            peak = probes.memory(worker.pid).peak_mb
    return {
        "documents_per_second": size.jobs / found,
        "seconds_to_be_found": found,
        "seconds_until_all_is_done": seconds,  # … classified, and people told
        "worker_cpu_ms_per_document": 1000 * used / size.jobs,
        "worker_peak_mb": peak,
    }


def begin_documents(database: Database, size: Size) -> Figures:
    """Agree to one document after the other, with an idle worker, and time how soon it is begun."""
    with _opened(database) as office, _worker(database.url) as worker:
        worker.release()
        waits = [office.time_one(number) for number in range(size.jobs + 1)][1:]
    return _waits(waits)


def begin_beside(database: Database, size: Size) -> Figures:
    """Do the same in a small tenant, while another one has so many documents waiting."""
    with _opened(database) as large, _opened(database) as small, _worker(database.url) as worker:
        large.write_backlog(size.beside)
        worker.release()
        large.wait_for(min(1, size.beside))
        waits = [small.time_one(number) for number in range(size.jobs)]
        left = large.count("queued")
    return _waits(waits) | {"still_waiting": left}


def _waits(waits: list[float]) -> Figures:
    in_ms = [1000 * wait for wait in waits]
    most = quantiles(in_ms, n=20, method="inclusive")[-1] if len(in_ms) > 1 else in_ms[0]
    return {"p50_ms": median(in_ms), "p95_ms": most, "max_ms": max(in_ms)}


@dataclass(frozen=True, slots=True)
class Office:
    """A tenant with one person, and where its papers are."""

    client: lh.Client
    tables: Tables
    vault: Vault
    access: Access

    def add(self, number: int) -> UUID:
        file = io.BytesIO(_paper(number, str(self.access.tenant_id)))
        row = papers.add(self.access, self.vault, f"{number}.pdf", file)
        document_id: UUID = row["id"]
        return document_id

    def agree(self, document_id: UUID) -> UUID:
        found = billing.estimate(self.access, self.vault, document_id, FAST)
        return billing.confirm(self.access, found.extraction_id)

    def agree_to_all(self, document_ids: Iterator[UUID]) -> None:
        for document_id in document_ids:
            self.agree(document_id)

    def time_one(self, number: int) -> float:
        """Return the seconds from the consent to the job's start, by the database's own clock."""
        document_id = self.add(number)
        job_id = self.agree(document_id)
        _wait(lambda: self.client.get(job_id).state.is_final)
        job = self.client.get(job_id)
        if job.state != "succeeded" or job.started_at is None:
            raise BenchFailed(f"a document came to {job.error}")
        return (job.started_at - job.created_at).total_seconds()

    def wait_for(self, count: int) -> None:
        _wait(lambda: self.count("done") >= count)

    def count(self, status: str) -> int:
        mine = extractions.c.tenant_id == self.access.tenant_id
        wanted = select(func.count()).where(mine, extractions.c.status == status)
        with self.tables.read() as connection:
            return int(connection.scalar(wanted) or 0)

    def write_backlog(self, count: int) -> None:
        """Agree to many copies of one document, without asking for each."""
        original = papers.get(self.access, self.add(0))
        for start in range(0, count, _STEP):
            self._write_copies(original, min(_STEP, count - start))

    def _write_copies(self, original: dict[str, Any], count: int) -> None:
        now, tenant = datetime.now(UTC), str(self.access.tenant_id)
        whose = {"tenant_id": self.access.tenant_id, "created_at": now, "updated_at": now}
        copies = [original | {"id": uuid4()} for _ in range(count)]
        jobs = self.client.ids.take(count)
        agreed = whose | {
            "engine": FAST,
            "status": "queued",
            "consent_given_at": now,
            "consent_given_by": self.access.user_id,
            "estimated_pages": 2,
            "estimated_cost_cents": 0,
        }
        rows = [
            agreed | {"id": uuid4(), "document_id": copy["id"], "job_id": job_id}
            for copy, job_id in zip(copies, jobs, strict=True)
        ]
        with self.tables.write() as connection:
            connection.execute(insert(documents), copies)
            connection.execute(insert(extractions), rows)
        task = extract_document.with_options(tenant=tenant)
        self.client.enqueue_many((task.call(copy["id"], FAST) for copy in copies), ids=jobs)


@contextmanager
def _opened(database: Database) -> Iterator[Office]:
    with ExitStack() as opened:
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="leasehold-documents-"))
        if "LEASEHOLD_DOCUMENTS_VAULT" not in os.environ:
            vault = {"LEASEHOLD_DOCUMENTS_VAULT": str(Path(folder) / "vault")}
            opened.enter_context(patch.dict(os.environ, vault))
        client = opened.enter_context(lh.Client(database.url))
        for close in (close_databases, close_vaults, close_engines):
            opened.callback(close)
        MIGRATIONS.migrate(client)
        tables = database_of(client.url)
        tenant_id = create_organization(tables, "Muster Hausverwaltung")
        user_id = create_user(tables, f"{tenant_id}@example.com")
        add_member(tables, user_id, tenant_id)
        access = Access(client, tables, user_id, tenant_id)
        yield Office(client, tables, vault_of(settings()), access)


class Worker:
    """A worker process that waits to be let go."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = process.pid

    def release(self) -> float:
        """Let it begin; returns when that was."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return time.perf_counter()


@contextmanager
def _worker(url: str) -> Iterator[Worker]:
    words = [sys.executable, "-m", "bench.documents_worker", url]
    process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        if process.stdout.readline() != "ready\n":
            raise BenchFailed("the worker process died")
        yield Worker(process)
    finally:
        process.terminate()
        process.communicate()


def _wait(is_so: Callable[[], bool]) -> None:
    give_up = time.perf_counter() + _MOST_SECONDS
    while not is_so():
        if time.perf_counter() > give_up:
            raise BenchFailed("the documents do not get on")
        time.sleep(_LOOK_SECONDS)


def _paper(number: int, salt: str) -> bytes:
    """Make a PDF of two pages that no other one is equal to."""
    pdf = FPDF()
    for heading in ("Mietvertrag", "Anlage 1: Hausordnung"):
        pdf.add_page()
        pdf.set_font("Helvetica", size=18)
        pdf.cell(text=f"{heading} {number} {salt}", new_x="LMARGIN", new_y="NEXT")
        pdf.set_font("Helvetica", size=11)
        pdf.multi_cell(0, 5, 5 * _TEXT.format(number=number))
    return bytes(pdf.output())
