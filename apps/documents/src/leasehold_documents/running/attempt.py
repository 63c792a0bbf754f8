"""One attempt at a document: read it from the vault, extract, and finish."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold.kit.data import database_of
from leasehold_documents.access import Service
from leasehold_documents.data import documents
from leasehold_documents.errors import Rejected
from leasehold_documents.running import passwords
from leasehold_documents.running.agreed import begin
from leasehold_documents.running.classification import classify_document
from leasehold_documents.running.finishing import finish, pieces_of
from leasehold_documents.running.merging import merged
from leasehold_documents.running.pausing import snooze_while_paused
from leasehold_documents.running.reading import keep_elements, read, told
from leasehold_documents.running.suggesting import judge

if TYPE_CHECKING:
    from leasehold_documents.extracting import Extracted

_NO_TEXT = "there is no text in it; hires can read pictures"


class Attempt:
    """Does the extraction that somebody has agreed to by this very job, and no other one."""

    def __init__(self, job: Any, document_id: UUID, engine: str) -> None:
        self._job = job
        self._service = Service(job.client, database_of(job.client.url))
        self._agreed = begin(self._service, job, document_id, engine, by=job.id)

    def run(self) -> None:
        """Extract and finish; every end but a good one is an exception."""
        extraction = self._agreed.extraction
        snooze_while_paused(self._service, extraction["engine"])
        with told(), passwords.lent(self._job.client, extraction["id"]) as password:
            self._finish(self._read(password))

    def _read(self, password: str | None) -> Extracted:
        if self._job.batch_id is not None:
            return merged(self._job, self._agreed)
        extracted = read(self._service, self._job, self._agreed, password)
        if password is not None:
            self._check_price(extracted.page_count)
        return extracted

    def _check_price(self, pages: int) -> None:
        """Refuse what nobody could count before: the price of an encrypted document is a guess."""
        document, extraction = self._agreed
        agreed = extraction["estimated_pages"]
        if pages <= agreed:
            return
        with self._service.write() as session:
            ids = document["tenant_id"], document["id"]
            documents.change(session.connection(), *ids, datetime.now(UTC), page_count=pages)
        raise Rejected(
            "PRICE_EXCEEDED", f"it has {pages} pages, {agreed} were agreed to: estimate it again"
        )

    def _finish(self, extracted: Extracted) -> None:
        """Keep the elements as they are, then write everything else in one transaction."""
        pieces = pieces_of(extracted)
        if not pieces:
            raise Rejected("NO_TEXT_LAYER", _NO_TEXT)
        keep_elements(self._agreed, extracted)
        job, service = self._job, self._service
        document, extraction = self._agreed
        texts = [piece.chunk.text for piece in pieces]
        suggested = judge(service, document["tenant_id"], extraction["id"], texts)
        with job.transaction() as raw, service.joined(raw) as connection:
            finish(service, connection, self._agreed, extracted, pieces)
            follow_up = classify_document.with_options(tenant=job.tenant)
            service.on(connection).enqueue(follow_up, document["id"])
            job.result = {
                "page_count": extracted.page_count,
                "chunk_count": len(pieces),
                "doc_type": suggested.doc_type,
            }
