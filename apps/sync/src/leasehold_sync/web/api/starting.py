"""`POST /sync`: begin a sync, or do a small one at once."""

from __future__ import annotations

import threading
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse

from leasehold.kit.web import Changer, Command, Document
from leasehold_sync import syncing
from leasehold_sync.running import immediate
from leasehold_sync.web.api.values import Counts, JobStatus, Mode, Name
from leasehold_sync.web.hub import Hub, OfHub
from leasehold_sync.web.problems import PROBLEMS

router = APIRouter(tags=["sync"])


class Choice(Command):
    """How to sync an app."""

    mode: Mode = Field(
        default="incremental", description="Incremental, for the first time, is full."
    )
    resource_types: Annotated[list[Name], Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="All that the app has, unless given.", examples=[["customers"]]
    )
    force: bool = Field(
        default=False, description="Delete what is gone even if that is more than half of it."
    )


class SyncRequest(Choice):
    """Which app to sync, and how."""

    app_key: Name = Field(examples=["stripe_main"])
    immediate: bool = Field(
        default=False, description="Sync in this request, for 45 s at most; no job is written."
    )


class Started(Document):
    """The job to follow. `deduplicated`: it is the one that runs already."""

    job_id: UUID
    app_key: str
    mode: Mode
    resource_types: list[str]
    status: JobStatus
    total_tasks: int
    created_at: datetime
    deduplicated: bool


class Done(Document):
    """An immediate sync. With `has_more` not all was read in time: ask for a job instead."""

    app_key: str
    mode: Mode
    status: Literal["completed", "failed", "processing"]
    results: list[Counts]
    has_more: bool


_KNOWN: dict[int | str, dict[str, Any]] = {
    200: {"model": Started | Done, "description": "The job that runs already; or, immediate, done."}
}


@router.post(
    "/",
    status_code=202,
    response_model=Started,
    responses={**PROBLEMS.responses(404, 409), **_KNOWN},
)
async def start_sync(
    request: Request, response: Response, wanted: SyncRequest, _person: Changer, hub: OfHub
) -> Any:
    """Make a sync of an app, one task for each resource; a worker does it."""
    if wanted.immediate:
        return JSONResponse(await _sync_now(request, hub, wanted))
    started = await run_in_threadpool(_start, hub, wanted)
    root = request.scope.get("root_path", "")
    response.headers["Location"] = f"{root}/jobs/{started['job_id']}"
    if started["deduplicated"]:
        response.status_code = 200
    return started


def _start(hub: Hub, wanted: SyncRequest) -> dict[str, Any]:
    started = syncing.start(
        hub.client,
        hub.database,
        wanted.app_key,
        mode=wanted.mode,
        resource_types=wanted.resource_types,
        force=wanted.force,
    )
    found = syncing.status(hub.client, hub.database, started.job_id)
    return found | {"job_id": started.job_id, "deduplicated": started.deduplicated}


async def _sync_now(request: Request, hub: Hub, wanted: SyncRequest) -> dict[str, Any]:
    """Sync in a thread of the request's own; it ends early when nobody waits for it."""
    hub.refuse_too_many_runs()
    stopping = threading.Event()
    work = partial(
        immediate.run_now,
        hub.client,
        hub.database,
        wanted.app_key,
        mode=wanted.mode,
        resource_types=wanted.resource_types,
        force=wanted.force,
        is_stopping=stopping.is_set,
    )
    done = await hub.runs.run(request, work, stopping.set)
    named = {"app_key": wanted.app_key, "mode": wanted.mode}
    return Done.model_validate(named | done).model_dump(mode="json")
