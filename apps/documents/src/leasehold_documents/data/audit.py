"""What was refused, and what did not fit: kept for good, in a transaction of its own."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from sqlalchemy import insert, select

from leasehold_documents.data.binding import bind_worker
from leasehold_documents.data.tables import audit

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold.kit.data import Database


def record(
    database: Database,
    action: str,
    *,
    tenant_id: UUID | None = None,
    user_id: UUID | None = None,
    subject: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    """Write it down, whatever becomes of the caller's own transaction."""
    with database.write() as connection:
        bind_worker(connection)
        row = {"tenant_id": tenant_id, "user_id": user_id, "action": action, "subject": subject}
        now = datetime.now(UTC)
        more = {"id": uuid4(), "detail": dict(detail or {}), "created_at": now}
        connection.execute(insert(audit), row | more)


def find(connection: Connection, *, limit: int = 100) -> list[dict[str, Any]]:
    """List the latest, newest first."""
    wanted = select(audit).order_by(audit.c.created_at.desc(), audit.c.id).limit(limit)
    return [dict(row) for row in connection.execute(wanted).mappings()]
