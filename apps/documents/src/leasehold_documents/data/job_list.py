"""Jobs of a tenant, as people read them: the view `jobs`, by page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Integer, Text, column, func, select, table

from leasehold.kit.data import Id, Moment, Page, page_of
from leasehold_documents.data.browsing import newest_first

if TYPE_CHECKING:
    from sqlalchemy import Connection

Row = dict[str, Any]
LIVE = ("queued", "running", "failed")  # `failed` is tried again

jobs = table(
    "jobs",
    column("id", Id),
    column("tenant_id", Id),
    column("type", Text),
    column("payload"),
    column("status", Text),
    column("priority", Integer),
    column("attempts", Integer),
    column("max_attempts", Integer),
    column("run_at", Moment),
    column("started_at", Moment),
    column("finished_at", Moment),
    column("result"),
    column("error_message", Text),
    column("created_by"),
    column("created_at", Moment),
    column("updated_at", Moment),
)


def jobs_of(
    connection: Connection,
    tenant_id: UUID,
    *,
    status: str | None = None,
    before: UUID | None = None,
    limit: int,
) -> Page:
    """Read jobs, newest first."""
    query = select(jobs).where(jobs.c.tenant_id == tenant_id)
    if status is not None:
        query = query.where(jobs.c.status == status)
    page = page_of(connection, newest_first(connection, tenant_id, query, jobs, before), limit)
    return Page([_read(row) for row in page.rows], page.next)


def get(connection: Connection, tenant_id: UUID, job_id: UUID) -> Row | None:
    """Read one; None for what is not this tenant's."""
    is_it = (jobs.c.tenant_id == tenant_id) & (jobs.c.id == job_id)
    row = connection.execute(select(jobs).where(is_it)).mappings().first()
    return None if row is None else _read(dict(row))


def counts(connection: Connection, tenant_id: UUID) -> dict[str, int]:
    """Count the jobs that have not ended, by state."""
    is_live = (jobs.c.tenant_id == tenant_id) & jobs.c.status.in_(LIVE)
    found = select(jobs.c.status, func.count()).where(is_live).group_by(jobs.c.status)
    counted = {row[0]: int(row[1]) for row in connection.execute(found)}
    return {status: counted.get(status, 0) for status in LIVE}


def _read(row: Row) -> Row:
    """Let both databases' values be alike: SQLite has JSON and ids as text."""
    return row | {
        "payload": _json(row["payload"]) or {},
        "result": _json(row["result"]),
        "created_by": _id(row["created_by"]),
    }


def _json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def _id(value: Any) -> UUID | None:
    if isinstance(value, UUID) or value is None:
        return value
    try:
        return UUID(value)
    except ValueError:
        return None
