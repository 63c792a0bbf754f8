"""What somebody was told."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Response

from leasehold_documents import notifying
from leasehold_documents.data import news
from leasehold_documents.web.pages.shell import PAGES, OfVisit, Visit, code_text
from leasehold_documents.web.people import Reader

router = APIRouter(prefix="/notifications", include_in_schema=False)
ROWS = 50


@router.get("")
def show_notifications(
    visit: OfVisit, access: Reader, before: Annotated[UUID | None, Query()] = None
) -> Response:
    """Show them, newest first."""
    with access.read() as connection:
        page = news.news_of(connection, access.tenant_id, access.user_id, before=before, limit=ROWS)
    return PAGES.render(
        visit,
        "notifications.html",
        news=[_shown(visit, each) for each in page.rows],
        next=page.next and visit.link("/notifications", before=page.next),
    )


@router.post("/read")
def mark_read(visit: OfVisit, access: Reader) -> Response:
    """Note that they were seen."""
    return visit.go("/notifications", "read", count=notifying.mark_read(access))


def _shown(visit: Visit, told: dict[str, Any]) -> dict[str, Any]:
    name = told["document_name"] or told["data"].get("name")
    return told | {"text": _text(visit, told), "name": name}


def _text(visit: Visit, told: dict[str, Any]) -> str:
    """Say what happened, and by which code, where there are words for it."""
    said = visit.say.known(f"news.kind.{told['kind']}", "news.kind.other")
    code = told["data"].get("code")
    return f"{said} {code_text(visit, code)}" if code else said
