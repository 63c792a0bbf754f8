"""The rows of extractions: what was estimated, agreed to, done, and how it ended.

    awaiting_consent ──> queued ──> running ──> done
                └──────────┴──────────┴──> failed, cancelled

Each step names the states that it starts from, so that of two who are late only one takes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import func, insert, literal, select, update

from leasehold.kit.data import Moment
from leasehold_documents.data.tables import extractions

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Connection

AGREED = ("queued", "running")
LIVE = ("awaiting_consent", *AGREED)


def add(
    connection: Connection,
    extraction_id: UUID,
    tenant_id: UUID,
    document_id: UUID,
    engine: str,
    *,
    pages: int,
    cents: int,
    now: datetime,
) -> None:
    """Write down an estimate."""
    row = {
        "id": extraction_id,
        "tenant_id": tenant_id,
        "document_id": document_id,
        "engine": engine,
        "status": "awaiting_consent",
        "estimated_pages": pages,
        "estimated_cost_cents": cents,
        "created_at": now,
        "updated_at": now,
    }
    connection.execute(insert(extractions), row)


def renew(
    connection: Connection,
    tenant_id: UUID,
    document_id: UUID,
    engine: str,
    *,
    pages: int,
    cents: int,
    now: datetime,
) -> UUID | None:
    """Estimate anew what nobody has agreed to yet; None when there is no such estimate."""
    newest = (
        select(extractions.c.id)
        .where(extractions.c.document_id == document_id, extractions.c.engine == engine)
        .where(extractions.c.tenant_id == tenant_id)
        .where(extractions.c.status == "awaiting_consent")
        .order_by(extractions.c.created_at.desc())
        .limit(1)
    ).scalar_subquery()
    found: UUID | None = connection.scalar(
        update(extractions)
        .where(extractions.c.id == newest, extractions.c.status == "awaiting_consent")
        .values(estimated_pages=pages, estimated_cost_cents=cents, updated_at=now)
        .returning(extractions.c.id)
    )
    return found


def get(connection: Connection, tenant_id: UUID, extraction_id: UUID) -> dict[str, Any] | None:
    return _one(connection, extractions.c.id == extraction_id, extractions.c.tenant_id == tenant_id)


def of_job(connection: Connection, job_id: UUID) -> dict[str, Any] | None:
    """Read the extraction that a job is to do."""
    return _one(connection, extractions.c.job_id == job_id)


def of_document(connection: Connection, tenant_id: UUID, document_id: UUID) -> list[dict[str, Any]]:
    """List a document's extractions, newest first."""
    wanted = (
        select(extractions)
        .where(extractions.c.document_id == document_id, extractions.c.tenant_id == tenant_id)
        .order_by(extractions.c.created_at.desc(), extractions.c.id.desc())
    )
    return [dict(row) for row in connection.execute(wanted).mappings()]


def live_of_document(
    connection: Connection, tenant_id: UUID, document_id: UUID
) -> list[dict[str, Any]]:
    """List those of a document that have not ended."""
    return [row for row in of_document(connection, tenant_id, document_id) if row["status"] in LIVE]


def agreed_by(connection: Connection, tenant_id: UUID, user_id: UUID) -> list[dict[str, Any]]:
    """List what a person has agreed to and what has not ended."""
    wanted = select(extractions).where(
        extractions.c.tenant_id == tenant_id,
        extractions.c.consent_given_by == user_id,
        extractions.c.status.in_(AGREED),
    )
    return [dict(row) for row in connection.execute(wanted).mappings()]


def agree(
    connection: Connection,
    tenant_id: UUID,
    extraction_id: UUID,
    *,
    user_id: UUID,
    job_id: UUID,
    now: datetime,
) -> bool:
    """Write down somebody's consent, which can be given once; False when it is too late."""
    return _step(
        connection,
        extraction_id,
        ("awaiting_consent",),
        extractions.c.tenant_id == tenant_id,
        status="queued",
        consent_given_at=now,
        consent_given_by=user_id,
        job_id=job_id,
        updated_at=now,
    )


def begin(connection: Connection, extraction_id: UUID, now: datetime) -> bool:
    """Say that it runs; False when it has ended meanwhile."""
    return _step(
        connection,
        extraction_id,
        AGREED,
        status="running",
        started_at=func.coalesce(extractions.c.started_at, literal(now, Moment)),
        updated_at=now,
    )


def finish(
    connection: Connection,
    extraction_id: UUID,
    *,
    pages: int,
    cents: int,
    result: Mapping[str, Any],
    now: datetime,
) -> bool:
    """Say that it is done; False when it has ended meanwhile."""
    return _step(
        connection,
        extraction_id,
        AGREED,
        status="done",
        actual_pages=pages,
        actual_cost_cents=cents,
        result_json=dict(result),
        finished_at=now,
        updated_at=now,
    )


def end(
    connection: Connection,
    tenant_id: UUID,
    extraction_id: UUID,
    status: str,
    *,
    code: str | None,
    message: str | None,
    now: datetime,
) -> bool:
    """Say that it failed or was cancelled; False when it has ended before."""
    return _step(
        connection,
        extraction_id,
        LIVE,
        extractions.c.tenant_id == tenant_id,
        status=status,
        actual_cost_cents=0,
        error_code=code,
        error_message=message,
        finished_at=now,
        updated_at=now,
    )


def _step(
    connection: Connection,
    extraction_id: UUID,
    before: Sequence[str],
    *more: ColumnElement[bool],
    **values: Any,
) -> bool:
    statement = (
        update(extractions)
        .where(extractions.c.id == extraction_id, extractions.c.status.in_(before), *more)
        .values(**values)
    )
    return connection.execute(statement).rowcount == 1


def _one(connection: Connection, *conditions: ColumnElement[bool]) -> dict[str, Any] | None:
    row = connection.execute(select(extractions).where(*conditions)).mappings().first()
    return None if row is None else dict(row)
