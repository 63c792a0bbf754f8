"""The first page: how it stands, and what came last."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Response

from leasehold_documents import monitoring
from leasehold_documents.data import browsing
from leasehold_documents.web.api.monitoring import By, Window, figures_of
from leasehold_documents.web.api.values import paper_of
from leasehold_documents.web.pages.shell import PAGES, OfVisit
from leasehold_documents.web.people import Reader, is_overseer

router = APIRouter(include_in_schema=False)
ROWS = 10


@router.get("/")
def show_dashboard(
    visit: OfVisit,
    access: Reader,
    window: Annotated[Window, Query()] = "24h",
    by: Annotated[By, Query()] = "finished",
) -> Response:
    """Show how it stands."""
    with access.read() as connection:
        everything = browsing.Wanted()
        latest = browsing.papers(connection, access.tenant_id, everything, before=None, limit=ROWS)
    hub = visit.hub
    alerts = monitoring.alerts_of(hub.client, hub.database) if is_overseer(visit.request) else []
    return PAGES.render(
        visit,
        "dashboard.html",
        figures=figures_of(access, window, by),
        alerts=alerts,
        papers=[paper_of(each) for each in latest.rows],
    )
