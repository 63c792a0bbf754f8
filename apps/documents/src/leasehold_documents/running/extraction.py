"""The jobs `extract_document`, and `extract_pages` for a range of a long document's pages."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import leasehold as lh
from leasehold.kit.data import database_of
from leasehold_documents.access import Service
from leasehold_documents.model.jobs import EXTRACT, QUEUE
from leasehold_documents.running import passwords
from leasehold_documents.running.agreed import begin
from leasehold_documents.running.attempt import Attempt
from leasehold_documents.running.ended import extraction_ended
from leasehold_documents.running.pausing import snooze_while_paused
from leasehold_documents.running.reading import keep_part, read, told
from leasehold_documents.running.words import ATTEMPTS, BACKOFF

# Tenants take turns: one with ten thousand documents holds up none with a single one.
_OPTIONS: Any = {
    "queue": QUEUE,
    "max_attempts": ATTEMPTS,
    "retry": BACKOFF,
    "timeout": "1h",
    "share": lh.TENANT,
}


@lh.task(name=EXTRACT, on_end=extraction_ended, **_OPTIONS)
def extract_document(document_id: UUID, engine: str) -> dict[str, Any] | None:
    """Extract a document, to which somebody has agreed by this job.

    Its result, `{page_count, chunk_count, doc_type}`, is written with the chunks.
    """
    Attempt(lh.current_job(), document_id, engine).run()
    return None


@lh.task(name="extract_pages", **_OPTIONS)
def extract_pages(
    document_id: UUID, engine: str, extraction_job: UUID, first: int, last: int
) -> dict[str, int]:
    """Extract some pages for the job that puts them together; nothing of it is searched yet."""
    job = lh.current_job()
    service = Service(job.client, database_of(job.client.url))
    agreed = begin(service, job, document_id, engine, by=extraction_job)
    snooze_while_paused(service, engine)
    with told():
        password = passwords.look(job.client, agreed.extraction["id"])
        extracted = read(service, job, agreed, password, (first, last))
        keep_part(agreed, first, extracted)
    return {"first": first, "page_count": extracted.page_count}
