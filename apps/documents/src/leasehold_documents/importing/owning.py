"""Whose an import is: a connector of the job's tenant, and a person who still belongs to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import leasehold as lh
from leasehold_documents.access import Access
from leasehold_documents.data import audit, connectors

if TYPE_CHECKING:
    from leasehold_documents.access import Service


def find_connector(service: Service, job: Any, connector_id: UUID, provider: str) -> dict[str, Any]:
    """Read a job's connector; one of another tenant's ends the job, and is written down.

    A payload is what somebody wrote: it must not lead to what is not theirs.
    """
    with service.read() as connection:
        found = connectors.get_of_anyone(connection, connector_id)
    if found is None:
        raise lh.Cancel("its connector was removed")
    if str(found["tenant_id"]) != job.tenant:
        audit.record(
            service.database,
            "job.tenant_mismatch",
            tenant_id=found["tenant_id"],
            subject=str(job.id),
            detail={"job_tenant": job.tenant, "connector": str(found["id"]), "kind": job.kind},
        )
        raise lh.Dead("TENANT_MISMATCH: the connector is not this tenant's")
    if found["provider"] != provider:
        raise lh.Dead("PROVIDER_MISMATCH: the connector is another cloud's")
    if found["status"] != connectors.ACTIVE:
        raise lh.Dead("CONNECTOR_EXPIRED: the consent is over; connect anew")
    return found


def person_of(service: Service, job: Any) -> Access:
    """Act as who began the import; `Forbidden` if they are no member any more."""
    began = job.client.get(job.id).created_by
    if began is None:
        raise lh.Dead("NOBODY_BEGAN_IT: an import belongs to a person of the tenant")
    return Access(job.client, service.database, UUID(began), UUID(job.tenant))
