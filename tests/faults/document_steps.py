"""Extracts a document in a process that kills itself at a point that is told by its number.

`python -m tests.faults.document_steps '{"url": …, "vault": …}'` is told a file and a point, and
does everything with it, from the upload to the review: see `tests.faults.points`. It reads the PDF
by itself: to start a confined process each time would take longer.
"""

from __future__ import annotations

import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from uuid import UUID

import msgspec
import pypdfium2

import leasehold as lh
from leasehold import testing
from leasehold.kit.data import database_of
from leasehold_documents import billing, papers, reviewing, tasks
from leasehold_documents.access import Access
from leasehold_documents.extracting import Element, Extracted, Inspection
from leasehold_documents.running import reading
from leasehold_documents.settings import Settings, settings
from leasehold_documents.vault import vault_of
from tests.faults.points import Killing, Points, UntilPoint, answer, killing_store, watch

FAST = "unstructured_fast"
DECIDED = "Übergabeprotokoll"
ALL = [each for each in vars(tasks).values() if isinstance(each, lh.Task)]


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where the office is."""

    url: str
    vault: str


class Asked(UntilPoint, frozen=True, kw_only=True):
    """A file that somebody hands in."""

    user_id: UUID
    tenant_id: UUID
    file: str


def main() -> int:
    place = msgspec.json.decode(sys.argv[1], type=Place)
    return answer(Asked, partial(work, place))


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


if __name__ == "__main__":
    sys.exit(main())
