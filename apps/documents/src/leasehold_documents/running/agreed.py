"""What a job is to extract: a document of its tenant, to which somebody has agreed by this job."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from uuid import UUID

import leasehold as lh
from leasehold_documents.data import audit, documents, extractions

if TYPE_CHECKING:
    from leasehold_documents.access import Service


class Agreed(NamedTuple):
    """A document, and the extraction that was agreed to."""

    document: dict[str, Any]
    extraction: dict[str, Any]


def find_document(service: Service, job: Any, document_id: UUID) -> dict[str, Any]:
    """Read a job's document; one of another tenant's ends the job, and is written down.

    A payload is what somebody wrote: it must not lead to what is not theirs.
    """
    with service.read() as connection:
        document = documents.get_of_anyone(connection, document_id)
    if document is None:
        raise lh.Cancel("its document was deleted")
    if str(document["tenant_id"]) != job.tenant:
        _refuse(service, job, document)
    return document


def begin(service: Service, job: Any, document_id: UUID, engine: str, *, by: UUID) -> Agreed:
    """Find what was agreed to for the job `by`, and say that it runs; every other end is raised."""
    document = find_document(service, job, document_id)
    with service.write() as session:
        connection = session.connection()
        extraction = extractions.of_job(connection, by)
        if extraction is None or not _is_about(extraction, document, engine):
            raise lh.Dead("NO_CONSENT: nobody has agreed to this extraction: ask for an estimate")
        if not extractions.begin(connection, extraction["id"], datetime.now(UTC)):
            _give_up(extraction["status"])
    return Agreed(document, extraction)


def _is_about(extraction: dict[str, Any], document: dict[str, Any], engine: str) -> bool:
    of_document = (extraction["tenant_id"], extraction["document_id"], extraction["engine"])
    return of_document == (document["tenant_id"], document["id"], engine)


def _give_up(status: str) -> NoReturn:
    if status == "cancelled":
        raise lh.Cancel("its extraction was cancelled")
    # Somebody has retried a job whose money was given back or spent.
    raise lh.Dead(f"CONSENT_SPENT: the extraction is {status}: ask for a new estimate")


def _refuse(service: Service, job: Any, document: dict[str, Any]) -> NoReturn:
    audit.record(
        service.database,
        "job.tenant_mismatch",
        tenant_id=document["tenant_id"],
        subject=str(job.id),
        detail={"job_tenant": job.tenant, "document": str(document["id"]), "kind": job.kind},
    )
    raise lh.Dead("TENANT_MISMATCH: the document is not this tenant's")
