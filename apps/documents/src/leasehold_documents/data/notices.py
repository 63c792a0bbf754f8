"""The rows of notifications: what people are told, each thing once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from sqlalchemy import func, select, update

from leasehold.kit.data import insert_new
from leasehold_documents.data.tables import notifications, users

if TYPE_CHECKING:
    from sqlalchemy import Connection


def add(
    connection: Connection,
    tenant_id: UUID,
    user_id: UUID,
    kind: str,
    *,
    document_id: UUID | None,
    job_id: UUID,
    data: Mapping[str, Any],
    now: datetime,
) -> UUID | None:
    """Write down what somebody is told; None when they were told before, or are gone."""
    if connection.scalar(select(users.c.id).where(users.c.id == user_id)) is None:
        return None
    notice_id = uuid4()
    row = {
        "id": notice_id,
        "tenant_id": tenant_id,
        "user_id": user_id,
        "kind": kind,
        "document_id": document_id,
        "job_id": job_id,
        "data": dict(data),
        "created_at": now,
    }
    return notice_id if insert_new(connection, notifications, [row]) else None


def get(connection: Connection, notice_id: UUID) -> dict[str, Any] | None:
    """Read one, with whom it is for."""
    person = (users.c.email, users.c.name.label("user_name"), users.c.language)
    wanted = (
        select(notifications, *person)
        .join(users, users.c.id == notifications.c.user_id)
        .where(notifications.c.id == notice_id)
    )
    row = connection.execute(wanted).mappings().first()
    return None if row is None else dict(row)


def latest(
    connection: Connection, tenant_id: UUID, user_id: UUID, *, limit: int
) -> list[dict[str, Any]]:
    """List what a person was told in a tenant, newest first."""
    wanted = select(notifications).where(*_of(tenant_id, user_id))
    order = (notifications.c.created_at.desc(), notifications.c.id.desc())
    found = connection.execute(wanted.order_by(*order).limit(limit))
    return [dict(row) for row in found.mappings()]


def count_unread(connection: Connection, tenant_id: UUID, user_id: UUID) -> int:
    unread = notifications.c.read_at.is_(None)
    wanted = select(func.count()).select_from(notifications)
    return int(connection.scalar(wanted.where(*_of(tenant_id, user_id), unread)) or 0)


def mark_read(
    connection: Connection,
    tenant_id: UUID,
    user_id: UUID,
    *,
    now: datetime,
    notice_ids: Sequence[UUID] | None = None,
) -> int:
    """Say that these, or all of them, were read; returns how many were not before."""
    unread = [*_of(tenant_id, user_id), notifications.c.read_at.is_(None)]
    if notice_ids is not None:
        unread.append(notifications.c.id.in_(notice_ids))
    return connection.execute(update(notifications).where(*unread).values(read_at=now)).rowcount


def _of(tenant_id: UUID, user_id: UUID) -> list[Any]:
    return [notifications.c.tenant_id == tenant_id, notifications.c.user_id == user_id]
