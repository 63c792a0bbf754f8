"""When an import has ended, whoever ended it: its person is told what it came to."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from leasehold.kit.data import database_of
from leasehold_documents import notifying
from leasehold_documents.access import Service
from leasehold_documents.data import connectors, import_files
from leasehold_documents.running.settling import reason_of

if TYPE_CHECKING:
    import leasehold as lh

_KINDS = {"succeeded": notifying.IMPORTED, "dead": notifying.IMPORT_FAILED}


def tell_end(client: lh.Client, ended: lh.JobEnded) -> None:
    """Write the notice, once for a job; who has cancelled it knows that already."""
    job = client.get(ended.job_id)
    if ended.state not in _KINDS or job.created_by is None:
        return
    service = Service(client, database_of(client.url))
    with service.write() as session:
        connection, tenant_id = session.connection(), UUID(job.tenant)
        connector = connectors.get(connection, tenant_id, UUID(str(job.args["connector_id"])))
        counted = import_files.counts(connection, tenant_id, ended.job_id)
        notifying.tell(
            service,
            session,
            tenant_id,
            UUID(job.created_by),
            _KINDS[ended.state],
            document_id=None,
            job_id=ended.job_id,
            data={
                "name": "" if connector is None else connector["name"],
                "code": reason_of(ended.error).code if ended.state == "dead" else None,
                "imported": counted.get(import_files.IMPORTED, 0),
                "refused": counted.get(import_files.REFUSED, 0),
            },
        )
