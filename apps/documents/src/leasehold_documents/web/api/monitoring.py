"""How it stands: the figures of an organization, alerts for who runs the service, and health."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from leasehold.kit.web import Document
from leasehold_documents import billing, monitoring
from leasehold_documents.access import Access
from leasehold_documents.data import browsing
from leasehold_documents.web.hub import OfHub
from leasehold_documents.web.people import Overseer, Reader
from leasehold_documents.web.problems import PROBLEMS

router = APIRouter(tags=["monitoring"])
Window = Literal["24h", "all"]
By = Literal["finished", "created"]
NOT_WELL = 503


class Dashboard(Document):
    """An organization's figures. `window=all` and `by=created` count as the seed's words do."""

    queued: int = Field(description="Jobs that wait.")
    failed: int = Field(description="Jobs that died within 24 hours.")
    average_seconds: float | None = Field(description="That a job took; null: none has ended.")
    window: Window
    by: By
    inbox: int = Field(description="Documents that are not filed.")
    review: int = Field(description="Documents that wait for somebody's word.")
    booked_cents: int
    reserved_cents: int


class Alert(Document):
    """Something that is not as it should be."""

    name: str = Field(examples=["depth"])
    subject: str
    level: str
    since: datetime
    value: float
    bound: float
    text: str = Field(description="The same in a sentence.")


class AlertList(Document):
    """What fires now."""

    alerts: list[Alert]


class Health(Document):
    """Whether the work can be done; if not, why."""

    status: Literal["ok", "failed"]
    reasons: list[str]
    workers: int


@router.get("/api/dashboard", response_model=Dashboard, responses=PROBLEMS.responses())
def get_dashboard(
    access: Reader,
    window: Annotated[Window, Query()] = "24h",
    by: Annotated[By, Query()] = "finished",
) -> dict[str, Any]:
    """Say how it stands in this organization."""
    return figures_of(access, window, by)


def figures_of(access: Access, window: str, by: str) -> dict[str, Any]:
    """Count what the dashboard shows."""
    seen = monitoring.widgets(access, window=window, by=by)
    owed = billing.balance(access)
    with access.read() as connection:
        return {
            "queued": seen.queued,
            "failed": seen.failed,
            "average_seconds": seen.average_seconds,
            "window": window,
            "by": by,
            "inbox": browsing.inbox_count(connection, access.tenant_id),
            "review": browsing.review_count(connection, access.tenant_id),
            "booked_cents": owed.booked_cents,
            "reserved_cents": owed.reserved_cents,
        }


@router.get("/api/alerts", response_model=AlertList, responses=PROBLEMS.responses())
def list_alerts(_overseer: Overseer, hub: OfHub) -> dict[str, Any]:
    """List what is not as it should be, for those who run the service."""
    return {"alerts": [each._asdict() for each in monitoring.alerts_of(hub.client, hub.database)]}


@router.get(
    "/health",
    response_model=Health,
    responses={**PROBLEMS.responses(), NOT_WELL: {"model": Health, "description": "Not well."}},
)
async def get_health(hub: OfHub) -> Response:
    """Say whether the work can be done: the database answers, and somebody works. For everybody."""
    found = await run_in_threadpool(monitoring.health, hub.client)
    said = {
        "status": "ok" if found.is_ok else "failed",
        "reasons": list(found.reasons),
        "workers": found.workers,
    }
    return JSONResponse(said, 200 if found.is_ok else NOT_WELL)
