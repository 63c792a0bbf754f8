"""Extractions that people stop: settled at once, and then their jobs are told."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import leasehold as lh
from leasehold_documents.access import Service
from leasehold_documents.data import extractions
from leasehold_documents.running.settling import LEFT, settle

if TYPE_CHECKING:
    from leasehold.kit.data import Database


def cancel_jobs(client: lh.Client, stopped: Iterable[dict[str, Any]]) -> None:
    """Cancel the jobs of extractions that were settled; who is killed before leaves them to end.

    A job that finds its extraction settled does nothing.
    """
    for each in stopped:
        if each["job_id"] is not None:
            cancel_job(client, each["job_id"])


def jobs_of(client: lh.Client, live: Iterable[dict[str, Any]]) -> list[UUID]:
    """List the jobs of extractions, those of ranges of pages included."""
    found: list[UUID] = []
    for each in live:
        job_id = each["job_id"]
        with suppress(lh.JobNotFound):
            batch = None if job_id is None else client.get(job_id).batch
            found += [job_id] if batch is None else [job.id for job in client.each(batch=batch)]
    return [job_id for job_id in found if job_id is not None]


def cancel_job(client: lh.Client, job_id: UUID) -> None:
    """Cancel a job, and what it waits for: the ranges of pages of a long document."""
    with suppress(lh.JobNotFound):
        batch = client.get(job_id).batch
        if batch is None:
            client.cancel(job_id)
        else:
            client.batches.cancel(batch)


def cancel_agreed(client: lh.Client, database: Database, tenant_id: UUID, user_id: UUID) -> int:
    """Stop and refund what waits or runs by a person's consent: they have left the tenant.

    It is what `access.remove_member` takes as `cancel`, with both first arguments given.
    """
    now = datetime.now(UTC)
    with Service(client, database).write() as session:
        connection = session.connection()
        agreed = extractions.agreed_by(connection, tenant_id, user_id)
        stopped = [each for each in agreed if settle(connection, each, "cancelled", LEFT, now)]
    cancel_jobs(client, stopped)
    return len(stopped)
