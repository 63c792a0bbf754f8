"""What people were told: the rows of notifications, as they read them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import ColumnElement, and_, func, select

from leasehold.kit.data import Page, page_of
from leasehold_documents.data.browsing import newest_first
from leasehold_documents.data.tables import documents, notifications

if TYPE_CHECKING:
    from sqlalchemy import Connection


def news_of(
    connection: Connection,
    tenant_id: UUID,
    user_id: UUID,
    *,
    before: UUID | None = None,
    limit: int,
) -> Page:
    """Read what somebody was told, newest first, with the names of the papers it is about."""
    name = select(documents.c.name).where(
        documents.c.id == notifications.c.document_id, documents.c.tenant_id == tenant_id
    )
    query = select(notifications, name.scalar_subquery().label("document_name")).where(
        _are_of(tenant_id, user_id)
    )
    return page_of(
        connection, newest_first(connection, tenant_id, query, notifications, before), limit
    )


def unread_count(connection: Connection, tenant_id: UUID, user_id: UUID) -> int:
    unread = _are_of(tenant_id, user_id) & notifications.c.read_at.is_(None)
    return int(
        connection.scalar(select(func.count()).select_from(notifications).where(unread)) or 0
    )


def _are_of(tenant_id: UUID, user_id: UUID) -> ColumnElement[bool]:
    return and_(notifications.c.tenant_id == tenant_id, notifications.c.user_id == user_id)
