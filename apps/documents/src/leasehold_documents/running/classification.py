"""The job `classify_document`: what a paper seems to be, and where it is filed or would be."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import leasehold as lh
from leasehold.kit.data import database_of
from leasehold_documents import classifying
from leasehold_documents.access import Service
from leasehold_documents.model.jobs import CLASSIFY, QUEUE
from leasehold_documents.running.agreed import find_document
from leasehold_documents.running.suggesting import suggest
from leasehold_documents.running.words import ATTEMPTS, BACKOFF


@lh.task(
    name=CLASSIFY,
    queue=QUEUE,
    max_attempts=ATTEMPTS,
    retry=BACKOFF,
    timeout="5m",
    share=lh.TENANT,
)
def classify_document(document_id: UUID) -> dict[str, Any] | None:
    """Suggest a type and a place: `{doc_type, confidence, suggested_node}`, written with them."""
    job = lh.current_job()
    service = Service(job.client, database_of(job.client.url))
    document = find_document(service, job, document_id)
    if document["current_extraction_id"] is None:
        raise lh.Dead("NOT_EXTRACTED: a document is classified by its text: extract it first")
    suggested = suggest(service, document)
    whose = document["tenant_id"], document_id
    with job.transaction() as raw, service.joined(raw) as connection:
        classifying.file(connection, *whose, suggested, datetime.now(UTC))
        job.result = {
            "doc_type": suggested.doc_type,
            "confidence": suggested.confidence,
            "suggested_node": suggested.node_id,
        }
    return None
