"""What those leave behind who are killed half-way: files without a document, and open batches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import leasehold as lh
from leasehold.kit.data import database_of
from leasehold_documents.access import Service
from leasehold_documents.data import arrivals
from leasehold_documents.model.jobs import EXTRACT, QUEUE
from leasehold_documents.settings import settings
from leasehold_documents.vault import prefixes_of, vault_of

_STEP = 100
_LONG_AGO = timedelta(days=1)  # no upload and no consent takes that long


@lh.task(name="documents.sweep", queue=QUEUE, max_attempts=3, timeout="1h")
def sweep() -> dict[str, int]:
    """Take away what never became a document, and close batches that nobody closed."""
    client = lh.current_job().client
    before = datetime.now(UTC) - _LONG_AGO
    service = Service(client, database_of(client.url))
    return {"files": sweep_files(service, before), "batches": close_batches(client, before)}


daily = lh.schedule("documents.sweep", "@daily", sweep, jitter="1h")


def sweep_files(service: Service, before: datetime) -> int:
    """Delete what was announced before then and never arrived; returns how many that were."""
    vault, total = vault_of(settings()), 0
    while True:
        with service.read() as connection:
            found = arrivals.overdue(connection, before, limit=_STEP)
        for tenant_id, document_id in found:
            for prefix in prefixes_of(tenant_id, document_id):
                vault.delete_under(prefix)
            with service.write() as session:
                arrivals.end(session.connection(), tenant_id, document_id)
        total += len(found)
        if len(found) < _STEP:
            return total


def close_batches(client: lh.Client, before: datetime) -> int:
    """Seal the batches of consents that were given, and cancel those of consents that were not."""
    last: UUID | None = None
    total = 0
    while found := client.batches.list(status="open", name=EXTRACT, before=last, limit=_STEP):
        last = found[-1].id
        for batch in found:
            if batch.created_at >= before:
                continue
            total += 1
            if batch.counts.total:
                client.batches.seal(batch.id)
            else:
                client.batches.cancel(batch.id, by="its consent was never given")
    return total
