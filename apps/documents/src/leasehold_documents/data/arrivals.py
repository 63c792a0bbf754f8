"""The rows of arrivals: files that are on their way into the vault."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import delete, insert, select

from leasehold_documents.data.tables import arrivals

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Arrival(NamedTuple):
    """A file that was announced."""

    tenant_id: UUID
    document_id: UUID


def add(connection: Connection, tenant_id: UUID, document_id: UUID, now: datetime) -> None:
    """Announce a file."""
    row = {"tenant_id": tenant_id, "document_id": document_id, "created_at": now}
    connection.execute(insert(arrivals), row)


def end(connection: Connection, tenant_id: UUID, document_id: UUID) -> None:
    """Say that it has arrived, or that nothing is left of it."""
    is_it = (arrivals.c.document_id == document_id, arrivals.c.tenant_id == tenant_id)
    connection.execute(delete(arrivals).where(*is_it))


def overdue(connection: Connection, before: datetime, *, limit: int) -> list[Arrival]:
    """List those that were announced before then and never arrived."""
    wanted = (
        select(arrivals.c.tenant_id, arrivals.c.document_id)
        .where(arrivals.c.created_at < before)
        .order_by(arrivals.c.created_at)
        .limit(limit)
    )
    return [Arrival(*row) for row in connection.execute(wanted)]
