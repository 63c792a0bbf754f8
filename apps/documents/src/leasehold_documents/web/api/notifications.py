"""What you were told: the list, as it happens, and that you have seen it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import Field

from leasehold.kit.web import Document
from leasehold_documents import notifying
from leasehold_documents.data import news
from leasehold_documents.web.api.values import DEFAULT_PAGE, CursorQuery, LimitQuery
from leasehold_documents.web.hub import OfHub
from leasehold_documents.web.looking import follow
from leasehold_documents.web.people import Reader
from leasehold_documents.web.problems import PROBLEMS

if TYPE_CHECKING:
    from sqlalchemy import Connection


router = APIRouter(prefix="/api/notifications", tags=["notifications"])


class Notification(Document):
    """Something that happened to what is yours."""

    id: UUID
    kind: str = Field(examples=["extraction_failed"])
    document_id: UUID | None
    document_name: str | None
    job_id: UUID | None
    data: dict[str, Any]
    created_at: datetime
    read_at: datetime | None


class NotificationPage(Document):
    """Newest first, and how many you have not seen."""

    notifications: list[Notification]
    unread: int
    next: UUID | None


class Marked(Document):
    """How many were new."""

    count: int


@router.get("", response_model=NotificationPage, responses=PROBLEMS.responses())
def list_notifications(
    access: Reader, before: CursorQuery = None, limit: LimitQuery = DEFAULT_PAGE
) -> dict[str, Any]:
    """List what you were told in this organization."""
    with access.read() as connection:
        page = news.news_of(
            connection, access.tenant_id, access.user_id, before=before, limit=limit
        )
        unread = news.unread_count(connection, access.tenant_id, access.user_id)
    return {"notifications": page.rows, "unread": unread, "next": page.next}


@router.post("/read", response_model=Marked, responses=PROBLEMS.responses())
def mark_notifications_read(access: Reader) -> dict[str, int]:
    """Say that you have seen them all."""
    return {"count": notifying.mark_read(access)}


@router.get("/events", include_in_schema=False)  # it has no end
async def follow_notifications(request: Request, access: Reader, hub: OfHub) -> Response:
    """Follow how many are unread, and the newest, as server-sent events `news`."""

    def look(connection: Connection) -> tuple[Any, bool]:
        unread = news.unread_count(connection, access.tenant_id, access.user_id)
        page = news.news_of(connection, access.tenant_id, access.user_id, limit=1)
        newest = [Notification.model_validate(each).model_dump(mode="json") for each in page.rows]
        return {"unread": unread, "newest": next(iter(newest), None)}, False

    return follow(request, hub, access, ("news", "news"), look)
