"""`POST /worker`: work on syncs for less than a minute, for where nothing runs all the time."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Request
from pydantic import Field, StrictInt
from starlette.concurrency import run_in_threadpool

from leasehold.kit.web import Changer, Command, Document, IdText
from leasehold_sync import syncing
from leasehold_sync.web.hub import OfHub
from leasehold_sync.web.problems import PROBLEMS
from leasehold_sync.working import Run

router = APIRouter(tags=["worker"])
STOP_SECONDS = 1.0  # for the page under way, when nobody waits for the run any more


class WorkRequest(Command):
    """Whose tasks, and how many."""

    job_id: IdText | None = Field(default=None, description="Work on this job's tasks only.")
    max_tasks: Annotated[StrictInt, Field(ge=1, le=1_000_000)] | None = None


class WorkReport(Document):
    """What the run did, and why it ended."""

    tasks_processed: int
    jobs_completed: int
    duration_ms: int
    shutdown_reason: Literal["no_pending_tasks", "time_limit", "max_tasks", "stopped"]


@router.post("/worker", response_model=WorkReport, responses=PROBLEMS.responses(404))
async def work(
    request: Request,
    _person: Changer,
    hub: OfHub,
    wanted: Annotated[WorkRequest, Body(default_factory=WorkRequest)],
) -> Any:
    """Take tasks, one at a time, until there are none or 45 s are over; answers within 50 s.

    What is not done by then is handed back with how far it has come: call again.
    """
    hub.refuse_too_many_runs()
    if wanted.job_id is not None:
        await run_in_threadpool(syncing.status, hub.client, hub.database, wanted.job_id)
    run = Run(hub.client, hub.database, job_id=wanted.job_id, max_tasks=wanted.max_tasks)
    return await hub.runs.run(request, run.run, partial(run.stop, within=STOP_SECONDS))
