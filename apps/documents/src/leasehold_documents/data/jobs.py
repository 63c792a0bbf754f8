"""The view `jobs`, read as SQLAlchemy reads tables."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ColumnElement, Integer, Text, column, extract, func, select, table, true

from leasehold.kit.data import Id, Moment
from leasehold_documents.data.tables import Data

if TYPE_CHECKING:
    from sqlalchemy import Connection

_DAY_SECONDS = 86_400.0
view = table(
    "jobs",
    column("id", Id),
    column("tenant_id", Id),
    column("type", Text),
    column("payload", Data),
    column("status", Text),
    *(column(name, Integer) for name in ("priority", "attempts", "max_attempts")),
    *(column(name, Moment) for name in ("run_at", "started_at", "finished_at")),
    column("result", Data),
    column("error_message", Text),
    column("created_by", Id),
    *(column(name, Moment) for name in ("created_at", "updated_at")),
)


def get(connection: Connection, tenant_id: UUID, job_id: UUID) -> dict[str, Any] | None:
    """Return a tenant's job as the seed shows it."""
    wanted = select(view).where(view.c.id == job_id, view.c.tenant_id == tenant_id)
    row = connection.execute(wanted).mappings().first()
    return None if row is None else dict(row)


def count_queued(connection: Connection, tenant_id: UUID | None) -> int:
    """Count what waits; None: of all tenants."""
    return _count(connection, view.c.status == "queued", _of(tenant_id))


def count_dead(connection: Connection, tenant_id: UUID | None, since: datetime, *, by: str) -> int:
    """Count what died, by when it was `finished` or `created`."""
    return _count(connection, view.c.status == "dead", _of(tenant_id), view.c[f"{by}_at"] > since)


def average_seconds(
    connection: Connection, tenant_id: UUID | None, since: datetime | None, *, by: str
) -> float | None:
    """Say how long jobs took that went well; None: there were none."""
    is_recent = true() if since is None else view.c[f"{by}_at"] > since
    taken = func.avg(_seconds(connection, "finished_at") - _seconds(connection, "started_at"))
    found = connection.scalar(
        select(taken).where(view.c.status == "done", _of(tenant_id), is_recent)
    )
    return None if found is None else max(0.0, round(float(found), 6))


def _count(connection: Connection, *conditions: ColumnElement[bool]) -> int:
    return connection.scalar(select(func.count()).select_from(view).where(*conditions)) or 0


def _of(tenant_id: UUID | None) -> ColumnElement[bool]:
    return true() if tenant_id is None else view.c.tenant_id == tenant_id


def _seconds(connection: Connection, name: str) -> ColumnElement[Any]:
    if connection.dialect.name == "sqlite":
        return func.julianday(view.c[name]) * _DAY_SECONDS
    return extract("epoch", view.c[name])
