"""A document goes, with its extractions, chunks and files; what waits for it is cancelled."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID

import leasehold as lh
from leasehold_documents.data import documents, extractions
from leasehold_documents.errors import NotFound
from leasehold_documents.model.jobs import QUEUE
from leasehold_documents.running.cancelling import cancel_jobs, jobs_of
from leasehold_documents.running.settling import DELETED, settle
from leasehold_documents.settings import settings
from leasehold_documents.vault import prefixes_of, vault_of

if TYPE_CHECKING:
    from leasehold_documents.access import Access


@lh.task(
    name="documents.forget_files",
    queue=QUEUE,
    max_attempts=50,
    retry=lh.exponential("10s", cap="1h"),
    timeout="10m",
    share=lh.TENANT,
)
def forget_files(document_id: UUID) -> None:
    """Take a deleted document's files out of the vault, however often that is tried."""
    vault = vault_of(settings())
    for prefix in prefixes_of(lh.current_job().tenant, document_id):
        vault.delete_under(prefix)


def delete(access: Access, document_id: UUID) -> None:
    """Delete a document. Extractions that have not ended are cancelled and refunded with it.

    The files are taken away by a job of the same transaction: killed in between, nobody forgets.
    It waits for the jobs that might still write some.
    """
    now = datetime.now(UTC)
    with access.read() as connection:
        before = extractions.live_of_document(connection, access.tenant_id, document_id)
    writers = jobs_of(access.client, before)
    with access.write() as session:
        connection, tenant_id = session.connection(), access.tenant_id
        live = extractions.live_of_document(connection, tenant_id, document_id)
        for each in live:
            settle(connection, each, "cancelled", DELETED, now)
        if not documents.remove(connection, tenant_id, document_id):
            raise NotFound("document", document_id)
        options = forget_files.with_options(
            tenant=str(tenant_id),
            created_by=str(access.user_id),
            after=writers,
            even_if_failed=bool(writers),
        )
        access.on(session).enqueue(options, document_id)
    cancel_jobs(access.client, live)
