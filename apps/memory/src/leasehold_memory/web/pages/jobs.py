"""Jobs: what is still being remembered, and what failed and why; do it again."""

from __future__ import annotations

import json
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Response

import leasehold as lh
from leasehold.kit.web import Changer, Reader
from leasehold_memory.data import browsing
from leasehold_memory.web.api.jobs import StateName, job_fields
from leasehold_memory.web.api.values import JobPath
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.pages.shell import PAGES, OfVisit
from leasehold_memory.web.pages.showing import show

router = APIRouter(prefix="/jobs", include_in_schema=False)
ROWS = 50
MOST_UNITS = 50
# `blocked` waits for its throttle; who looks for what waits finds it among all.
STATES = ("queued", "running", "failed", "succeeded", "dead")


@router.get("")
def show_jobs(
    visit: OfVisit,
    _person: Reader,
    hub: OfHub,
    state: Annotated[StateName | None, Query()] = None,
    before: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show jobs of the active memory, the newest first."""
    wanted = None if state is None else lh.State(state)
    with hub.memory() as memory:
        page = memory.client.page(state=wanted, before=before, limit=ROWS)
    return PAGES.render(
        visit,
        "jobs.html",
        state=state,
        states=STATES,
        jobs=[_row(each) for each in page.jobs],
        next=page.before and visit.link("/jobs", state=state, before=page.before),
    )


@router.get("/{job_id}")
def show_job(job_id: JobPath, visit: OfVisit, _person: Reader, hub: OfHub) -> Response:
    """Show a job, every attempt of it, and what it derived."""
    with hub.memory() as memory:
        job = memory.client.get(job_id)
        history = memory.client.history(job_id)
        with memory.database.read() as connection:
            derived = browsing.derived_by(connection, job_id, limit=MOST_UNITS)
            units = show(connection, visit.say, derived)
    return PAGES.render(visit, "job.html", of=_row(job), history=history, units=units)


@router.post("/{job_id}/retry")
def retry(job_id: JobPath, visit: OfVisit, _person: Changer, hub: OfHub) -> Response:
    """Do a job again that failed."""
    with hub.memory() as memory:
        memory.client.retry(job_id)
    return visit.go(f"/jobs/{job_id}", "retried")


def _row(job: lh.Job) -> dict[str, Any]:
    fields = job_fields(job)
    return fields | {"payload": json.dumps(fields["payload"], ensure_ascii=False)}
