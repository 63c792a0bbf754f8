"""When an extraction's job has ended, whoever ended it: money, state and a notice."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import leasehold as lh
from leasehold.kit.data import database_of
from leasehold_documents import notifying
from leasehold_documents.access import Service
from leasehold_documents.data import documents, extractions, people
from leasehold_documents.model.jobs import QUEUE
from leasehold_documents.running import passwords
from leasehold_documents.running.reading import drop_parts
from leasehold_documents.running.settling import reason_of, settle
from leasehold_documents.running.words import SETTLING

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

_STATUS = {"dead": "failed", "cancelled": "cancelled"}
_KINDS = {
    "done": notifying.DONE,
    "failed": notifying.FAILED,
    "cancelled": notifying.CANCELLED,
}


@lh.task(
    name="documents.extraction_ended",
    queue=QUEUE,
    priority=SETTLING,
    max_attempts=50,
    retry=lh.exponential("1s", cap="10m"),
    timeout="2m",
)
def extraction_ended(ended: lh.JobEnded) -> None:
    """Settle what the job has left open, and tell who agreed to it. Safe twice."""
    client = lh.current_job().client
    service = Service(client, database_of(client.url))
    with service.write() as session:
        connection = session.connection()
        extraction = extractions.of_job(connection, ended.job_id)
        if extraction is None:  # nobody agreed to it, or the document is gone: there is no money
            return
        if ended.state != "succeeded":
            status = _STATUS[ended.state]
            reason = reason_of(ended.error, status)
            settle(connection, extraction, status, reason, datetime.now(UTC))
        _tell(service, session, extraction)
    passwords.forget(client, extraction["id"])
    if ended.batch is not None:
        drop_parts(extraction)


def _tell(service: Service, session: Session, before: dict[str, Any]) -> None:
    """Say how the extraction stands, which may not be how the job ended: consent was withdrawn."""
    connection, tenant_id = session.connection(), before["tenant_id"]
    extraction = extractions.get(connection, tenant_id, before["id"])
    document = documents.get(connection, tenant_id, before["document_id"])
    if extraction is None or document is None or extraction["status"] not in _KINDS:
        return
    if people.role_of(connection, extraction["consent_given_by"], tenant_id) is None:
        return  # who has left is told nothing of its papers any more
    notifying.tell(
        service,
        session,
        tenant_id,
        extraction["consent_given_by"],
        _KINDS[extraction["status"]],
        document_id=document["id"],
        job_id=extraction["job_id"],
        data={
            "name": document["name"],
            "engine": extraction["engine"],
            "code": extraction["error_code"],
            "pages": extraction["actual_pages"],
            "cents": extraction["actual_cost_cents"],
        },
    )
