"""Documents under kills: each is extracted once and billed once, wherever its worker dies.

`python -m tests.faults.documented sqlite|postgres` is the long form: a process is killed at every
single step of an extraction, one after the other; then 300 documents of three tenants are extracted
by four workers of whom one after the other is killed.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

import msgspec

import leasehold as lh
from leasehold.kit.data import close_databases, database_of
from leasehold_documents import notifying, reviewing, searching
from leasehold_documents.data.migrating import MIGRATIONS
from tests.documents.flow.kit import Office, open_office, pdf_of
from tests.faults.document_steps import DECIDED, Asked, Place
from tests.faults.fleet import Fleet
from tests.faults.points import Ended, Steps
from tests.faults.target import Target, postgres_target, sqlite_target
from tests.faults.worker_main import WorkerOptions

_LOOK_SECONDS = 0.02
_PAGES = ("Mietvertrag über {word}\nDie Miete beträgt 850 Euro.", "Anlage zu {word}", "Ende")
_CENTS = 2 * len(_PAGES)


def word_of(number: int) -> str:
    """Return a word that stands in one document alone."""
    return f"Wohnung{number:05d}x"


def paper(number: int) -> bytes:
    return pdf_of(*(page.format(word=word_of(number)) for page in _PAGES))


def add(office: Office, number: int) -> dict[str, Any]:
    return office.add(f"{number}.pdf", paper(number))


# -- what was promised -----------------------------------------------------------------------------
def faults_of(office: Office, document: dict[str, Any]) -> list[str]:
    """List what of the promise was broken for a document that somebody has agreed to."""
    whose = {"document_id": document["id"]}
    extractions = office.rows("extractions", **whose)
    chunks = office.rows("document_chunks", **whose)
    entries = [
        (row["entry"], row["cents"])
        for extraction in extractions
        for row in office.rows("document_ledger", extraction_id=extraction["id"])
    ]
    number = int(document["name"].removesuffix(".pdf"))
    hits = searching.search(office.access, word_of(number))
    notices = office.rows("notifications", **whose)
    classified = [
        job.state
        for job in office.access.client.each(kind="classify_document", page=1_000)
        if job.args == {"document_id": str(document["id"])}
    ]
    promised = {
        "it is done, once": [row["status"] for row in extractions] == ["done"],
        "its job has succeeded": [office.client.get(row["job_id"]).state for row in extractions]
        == ["succeeded"],
        "its chunks are there, each once": sorted(row["chunk_index"] for row in chunks)
        == list(range(len(_PAGES))),
        "they are the document's": [row["page_number"] for row in _in_order(chunks)] == [1, 2, 3]
        and all(word_of(number) in row["text"] for row in _in_order(chunks)[:2]),
        "it is reserved and booked once": sorted(entries)
        == [("book", _CENTS), ("reserve", _CENTS)],
        "search finds it": {hit.document_id for hit in hits} == {document["id"]},
        "somebody is told once": [row["kind"] for row in notices] == [notifying.DONE],
        "it is classified once": classified == ["succeeded"],
    }
    return [name for name, is_kept in promised.items() if not is_kept]


def _in_order(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(chunks, key=lambda row: row["chunk_index"])


# -- killed at a step ------------------------------------------------------------------------------
class PaperSteps:
    """Takes documents in and does all with them, each in a process that is killed at a point."""

    def __init__(self, steps: Steps, folder: Path) -> None:
        self._steps = steps
        self._folder = folder

    def run(self, office: Office, point: int) -> Ended:
        """Let a document be done with until the point; 0 kills nothing."""
        file = self._folder / f"{point}.pdf"
        file.write_bytes(paper(point))
        whose = {"user_id": office.access.user_id, "tenant_id": office.tenant_id}
        return self._steps.ask(Asked(**whose, file=str(file), point=point))


@contextmanager
def stepping(place: Place, folder: Path) -> Iterator[PaperSteps]:
    said = msgspec.json.encode(place).decode()
    with Steps("tests.faults.document_steps", said) as steps:
        yield PaperSteps(steps, folder)


def recover(office: Office, point: int) -> dict[str, Any]:
    """Do what comes by itself: leases lapse, and the person, who got no answer, looks and goes on.

    Returns the document.
    """
    store = office.client.store
    store.skew_seconds += 3600
    store.reclaim([(each, 0.0) for each in store.lapsed(limit=100)])
    found = office.rows("documents", name=f"{point}.pdf")
    document = found[0] if found else add(office, point)
    states = {row["status"] for row in office.rows("extractions", document_id=document["id"])}
    if states <= {"awaiting_consent"}:
        office.agree(document)
    office.work()
    (suggestion,) = office.rows("document_suggestions", document_id=document["id"])
    if suggestion["decided_by"] is None:
        reviewing.correct(office.access, document["id"], DECIDED)
    return document


def faults_of_review(office: Office, document: dict[str, Any]) -> list[str]:
    """List what of the promise was broken for a document that somebody has also reviewed."""
    whose = {"document_id": document["id"]}
    (row,) = office.rows("documents", id=document["id"])
    promised = {
        "it is there once": len(office.rows("documents", name=document["name"])) == 1,
        "it is what was decided": row["doc_type"] == DECIDED,
        "that is learnt once": len(office.rows("document_lessons", **whose)) == 1,
        "no file is on its way": office.rows("document_arrivals", document_id=row["id"]) == [],
    }
    broken = [name for name, is_kept in promised.items() if not is_kept]
    return broken + faults_of(office, document)


def kill_at_all_steps(target: Target, folder: Path) -> tuple[int, list[str]]:
    """Kill at each point once; returns how many there are, and what was broken."""
    broken: list[str] = []
    place = Place(url=target.url, vault=str(folder / "vault"))
    with opened(target, folder) as office, stepping(place, folder) as steps:
        points = len(steps.run(office, 0).names)
        for point in range(1, points + 1):
            ended = steps.run(office, point)
            document = recover(office, point)
            told = f"killed at {point}, {ended.names[-1]}"
            broken += [f"{told}: {fault}" for fault in faults_of_review(office, document)]
    return points, broken


# -- killed at random ------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How many documents, workers and kills."""

    documents: int
    workers: int
    kills: int
    tenants: int = 3
    lease_seconds: float = 1.5
    limit_seconds: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What it came to."""

    kills: int
    struck: int  # documents whose worker was killed
    seconds: float
    broken: list[str]


class Campaign:
    """Tenants with documents, and workers that are killed while they extract them."""

    def __init__(self, target: Target, folder: Path, plan: Plan, seed: int) -> None:
        self._target = target
        self._folder = folder
        self._plan = plan
        self._chance = random.Random(seed)
        self._struck: Counter[UUID] = Counter()

    def run(self) -> Result:
        plan = self._plan
        with ExitStack() as stack:
            offices = [
                stack.enter_context(opened(self._target, self._folder)) for _ in range(plan.tenants)
            ]
            numbered = [
                (offices[number % plan.tenants], number) for number in range(plan.documents)
            ]
            papers = [(office, add(office, number)) for office, number in numbered]
            jobs = [office.agree(document) for office, document in papers]
            vault = {"LEASEHOLD_DOCUMENTS_VAULT": str(self._folder / "vault")}
            stack.enter_context(patch.dict(os.environ, vault))
            started = time.monotonic()
            self._work(offices[0].client, jobs)
            seconds = time.monotonic() - started
            broken = [
                f"{document['name']}: {fault}"
                for office, document in papers
                for fault in faults_of(office, document)
            ]
        return Result(
            kills=plan.kills, struck=len(self._struck), seconds=round(seconds, 1), broken=broken
        )

    def _work(self, client: lh.Client, jobs: list[UUID]) -> None:
        plan = self._plan
        options = WorkerOptions(
            url=client.url, tasks="leasehold_documents.tasks", slots=2, lease=plan.lease_seconds
        )
        marks = sorted(self._chance.randrange(len(jobs) * 9 // 10) for _ in range(plan.kills))
        give_up = time.monotonic() + plan.limit_seconds
        with Fleet(options, self._folder, plan.workers) as fleet:
            while self._target.count_live():
                done = self._count_done()
                if marks and done >= marks[0] and self._kill_one(client, fleet):
                    marks.pop(0)
                fleet.tend()
                assert time.monotonic() < give_up, f"{done} of {len(jobs)} documents are done"
                time.sleep(_LOOK_SECONDS)
            assert not marks, f"{len(marks)} kills came too late"
            fleet.stop()

    def _count_done(self) -> int:
        sql = "SELECT count(*) AS count FROM extractions WHERE status = 'done'"
        return int(self._target.query(sql)[0]["count"])

    def _kill_one(self, client: lh.Client, fleet: Fleet) -> bool:
        """Kill a worker that extracts; none whose documents were struck before, or they die."""
        running = client.find(state="running", kind="extract_document")
        held: dict[str | None, list[UUID]] = {}
        for job in running:
            held.setdefault(job.worker_name, []).append(job.id)
        choices = [
            member
            for member in fleet.living
            if member.is_alive
            and member.name in held
            and not any(job_id in self._struck for job_id in held[member.name])
        ]
        if not choices:
            return False
        victim = self._chance.choice(choices)
        fleet.kill(victim)
        self._struck.update(held[victim.name])
        return True


@contextmanager
def opened(target: Target, folder: Path) -> Iterator[Office]:
    """Found an office in a fresh database."""
    with lh.Client(target.url) as client:
        MIGRATIONS.migrate(client)
        try:
            with open_office(client, database_of(client.url), folder) as office:
                yield office
        finally:
            close_databases()


def main() -> int:
    folder = Path(tempfile.mkdtemp(prefix="leasehold-documented-"))
    seed = random.randrange(2**32)
    plan = Plan(documents=300, workers=4, kills=40)
    with sqlite_target(folder) if sys.argv[1] == "sqlite" else postgres_target() as target:
        points, broken = kill_at_all_steps(target, folder)
        print(sys.argv[1], f"killed at each of {points} steps: {len(broken)} broken", flush=True)
        result = Campaign(target, folder, plan, seed).run()
    print(f"seed={seed}", plan)
    for name, value in asdict(result).items():
        print(f"  {name}: {value}")
    for name in broken:
        print(f"  BROKEN: {name}")
    return 1 if broken or result.broken else 0


if __name__ == "__main__":
    sys.exit(main())
