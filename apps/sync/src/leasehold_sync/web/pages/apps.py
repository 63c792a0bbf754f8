"""Apps: when each was synced last, and how; start a sync of one."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Path, Query, Response
from starlette.responses import HTMLResponse

from leasehold.kit.web import Changer, Reader, Visit
from leasehold_sync import apps as stored_apps
from leasehold_sync import syncing
from leasehold_sync.data import browsing
from leasehold_sync.web.api.starting import Choice
from leasehold_sync.web.api.values import Name
from leasehold_sync.web.hub import OfHub
from leasehold_sync.web.pages.shell import PAGES, OfVisit, age
from leasehold_sync.web.problems import PROBLEMS

router = APIRouter(prefix="/ui", include_in_schema=False)
front = APIRouter(tags=["pages"])
ROWS = 20
AppPath = Annotated[Name, Path()]


@front.get("/", response_class=HTMLResponse, responses=PROBLEMS.responses())
@router.get("")
@router.get("/")
def show_apps(visit: OfVisit, _person: Reader, hub: OfHub) -> Response:
    """Show all apps, each with its last sync."""
    return _render(visit, "apps.html", apps=hub.read(browsing.apps))


@router.get("/apps/{app_key}")
def show_app(
    app_key: AppPath,
    visit: OfVisit,
    _person: Reader,
    hub: OfHub,
    before: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show one app: what is stored of it, its syncs, and how to start another one."""
    app = stored_apps.get(hub.database, app_key)
    jobs = hub.read(browsing.jobs_of, app_key, before=before, limit=ROWS)
    return _render(
        visit,
        "app.html",
        of=app,
        resources=syncing.resources_of(app),
        synced_at=hub.read(browsing.synced_at, app_key),
        collections=hub.read(browsing.collections_of, app_key),
        jobs=jobs.rows,
        next=jobs.next and visit.link(f"/apps/{app_key}", before=jobs.next),
    )


@router.post("/apps/{app_key}/sync")
def start(
    app_key: AppPath,
    visit: OfVisit,
    _person: Changer,
    hub: OfHub,
    wanted: Annotated[Choice, Form()],
) -> Response:
    """Start a sync, and lead to it; or to the one that runs already."""
    started = syncing.start(hub.client, hub.database, app_key, **wanted.model_dump())
    return visit.go(f"/jobs/{started.job_id}", "running" if started.deduplicated else "started")


def _render(visit: Visit, template: str, **values: Any) -> Response:
    return PAGES.render(visit, template, age=partial(age, visit), **values)
