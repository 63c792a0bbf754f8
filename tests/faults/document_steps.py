"""Extracts a document in a process that kills itself at a point that is told by its number.

`python -m tests.faults.document_steps '{"url": …, "vault": …}'` reads a file and a point from each
line, and forks a process that does everything with it, from the upload to the review. There is a
point before each statement of the application, around each transaction and each file. 0 kills
nothing. It reads the PDF by itself: to start a confined process each time would take longer.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
import pypdfium2
from sqlalchemy import event

import leasehold as lh
from leasehold import testing
from leasehold.kit.data import Database, database_of
from leasehold.store.base import Store
from leasehold_documents import billing, papers, reviewing, tasks
from leasehold_documents.access import Access
from leasehold_documents.extracting import Element, Extracted, Inspection
from leasehold_documents.running import reading
from leasehold_documents.settings import Settings, settings
from leasehold_documents.vault import vault_of

FAST = "unstructured_fast"
DECIDED = "Übergabeprotokoll"
ALL = [each for each in vars(tasks).values() if isinstance(each, lh.Task)]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where the office is."""

    url: str
    vault: str


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What one process is to do, and where it ends."""

    user_id: UUID
    tenant_id: UUID
    file: str
    point: int


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How it ended, and which points it came by."""

    signal: int
    names: list[str]


class Points:
    """Tells which points are reached by a pipe, which outlives the process; kills at the chosen."""

    def __init__(self, chosen: int, pipe: int) -> None:
        self._chosen = chosen
        self._pipe = pipe
        self._count = 0

    def reach(self, name: str) -> None:
        self._count += 1
        os.write(self._pipe, f"{name}\n".encode())
        if self._count == self._chosen:
            os.kill(os.getpid(), signal.SIGKILL)


def main() -> int:
    place = msgspec.json.decode(sys.argv[1], type=Place)
    for line in sys.stdin:
        ended = in_child(place, msgspec.json.decode(line, type=Asked))
        print(msgspec.json.encode(ended).decode(), flush=True)
    return 0


def in_child(place: Place, asked: Asked) -> Ended:
    """Fork, so that nothing is imported anew, and wait for the end."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        work(place, asked, Points(asked.point, writing))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        names = pipe.read().splitlines()
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in {0, -signal.SIGKILL}, code
    return Ended(signal=-code, names=names)


def work(place: Place, asked: Asked, points: Points) -> None:
    """Upload, estimate, agree, extract, settle, classify and review."""
    with settings.lending(Settings(vault=place.vault)) as lent, lh.Client(place.url) as plain:
        vault = Killing(vault_of(lent), points, around={"put"})
        setattr(reading, "vault_of", lambda _settings: vault)  # noqa: B010 - as attempts find it
        setattr(reading, "engine_of", lambda _settings: Plain())  # noqa: B010
        setattr(billing, "inspect", Plain().inspect)  # noqa: B010
        client = lh.Client(store=killing_store(plain.store, points))
        database = database_of(place.url)
        watch(database, points)
        access = Access(client, database, asked.user_id, asked.tenant_id)
        with Path(asked.file).open("rb") as file:
            document_id = papers.add(access, vault, Path(asked.file).name, file)["id"]
        found = billing.estimate(access, vault, document_id, FAST)
        billing.confirm(access, found.extraction_id)
        testing.drain(client, ALL, raises=True)
        reviewing.correct(access, document_id, DECIDED)


def watch(database: Database, points: Points) -> None:
    """Make a point of each statement of the application, and of each of its commits."""

    @event.listens_for(database.engine, "before_cursor_execute")
    def before(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        points.reach(" ".join(statement.split()[:3]))

    @event.listens_for(database.engine, "commit")
    def commit(_connection: object) -> None:
        points.reach("a commit")


class Plain:
    """Reads a PDF in this process, a page as one element."""

    def inspect(self, path: Path, **_options: object) -> Inspection:
        with closing(pypdfium2.PdfDocument(path)) as document:
            return Inspection(media_type="application/pdf", page_count=len(document))

    def extract(self, path: Path, **_options: object) -> Extracted:
        with closing(pypdfium2.PdfDocument(path)) as document:
            texts = [page.get_textpage().get_text_bounded() for page in document]
        elements = [
            Element(type="NarrativeText", text=text, metadata={"page_number": number})
            for number, text in enumerate(texts, 1)
        ]
        return Extracted(elements=elements, page_count=len(texts), backend="plain")


class Killing:
    """Something with a point before and after some of its operations."""

    def __init__(self, what: Any, points: Points, around: Collection[str]) -> None:
        self._what = what
        self._points = points
        self._around = around

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._what, name)
        return partial(self._call, name, found) if name in self._around else found

    def _call(self, name: str, operation: Callable[..., Any], *args: Any, **named: Any) -> Any:
        self._points.reach(f"before {name}")
        answer = operation(*args, **named)
        self._points.reach(f"after {name}")
        return answer


class KillingStore(Killing):
    """A store that also has points in the transaction that ends a job."""

    def dedicated(self) -> KillingStore:
        return KillingStore(self._what.dedicated(), self._points, self._around)

    @contextmanager
    def transaction(self, *args: Any, **named: Any) -> Iterator[Any]:
        with self._what.transaction(*args, **named) as connection:
            self._points.reach("the transaction has begun")
            yield connection
            self._points.reach("the transaction is to be committed")
        self._points.reach("after the transaction")


def killing_store(store: Store, points: Points) -> Any:
    return KillingStore(store, points, frozenset({"claim_lanes", "finish"}))


if __name__ == "__main__":
    sys.exit(main())
