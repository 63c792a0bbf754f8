"""What is counted in the view `jobs`, of one tenant or of all."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ColumnElement, extract, func, select, true

from leasehold_documents.data.job_list import jobs

if TYPE_CHECKING:
    from sqlalchemy import Connection

_DAY_SECONDS = 86_400.0


def count_queued(connection: Connection, tenant_id: UUID | None) -> int:
    """Count what waits; None: of all tenants."""
    return _count(connection, jobs.c.status == "queued", _of(tenant_id))


def count_dead(connection: Connection, tenant_id: UUID | None, since: datetime, *, by: str) -> int:
    """Count what died, by when it was `finished` or `created`."""
    return _count(connection, jobs.c.status == "dead", _of(tenant_id), jobs.c[f"{by}_at"] > since)


def average_seconds(
    connection: Connection, tenant_id: UUID | None, since: datetime | None, *, by: str
) -> float | None:
    """Say how long jobs took that went well; None: there were none."""
    is_recent = true() if since is None else jobs.c[f"{by}_at"] > since
    taken = func.avg(_seconds(connection, "finished_at") - _seconds(connection, "started_at"))
    found = connection.scalar(
        select(taken).where(jobs.c.status == "done", _of(tenant_id), is_recent)
    )
    return None if found is None else max(0.0, round(float(found), 6))


def _count(connection: Connection, *conditions: ColumnElement[bool]) -> int:
    return connection.scalar(select(func.count()).select_from(jobs).where(*conditions)) or 0


def _of(tenant_id: UUID | None) -> ColumnElement[bool]:
    return true() if tenant_id is None else jobs.c.tenant_id == tenant_id


def _seconds(connection: Connection, name: str) -> ColumnElement[Any]:
    if connection.dialect.name == "sqlite":
        return func.julianday(jobs.c[name]) * _DAY_SECONDS
    return extract("epoch", jobs.c[name])
