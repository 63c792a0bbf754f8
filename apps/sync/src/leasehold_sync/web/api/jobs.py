"""`GET /sync/jobs/{id}`: how a sync stands, at once or as it happens; cancel and retry."""

from __future__ import annotations

from typing import Any

import msgspec
from fastapi import APIRouter, Response
from starlette.concurrency import run_in_threadpool

from leasehold.kit.web import Changer, EventStream, Reader, Seen
from leasehold_sync import syncing
from leasehold_sync.web.api.values import JobPath, SyncJob, is_over
from leasehold_sync.web.hub import OfHub
from leasehold_sync.web.problems import PROBLEMS

router = APIRouter(prefix="/jobs", tags=["sync"])
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "`progress` with the job after each change; `end` at last.",
        "content": {"text/event-stream": {}},
    }
}


@router.get("/{job_id}", response_model=SyncJob, responses=PROBLEMS.responses(404))
def get_job(job_id: JobPath, _person: Reader, hub: OfHub) -> dict[str, Any]:
    """Say how a sync stands, and each of its resources."""
    return syncing.status(hub.client, hub.database, job_id)


@router.get(
    "/{job_id}/events", response_class=Response, responses={**PROBLEMS.responses(404), **_EVENTS}
)
async def follow_job(job_id: JobPath, _person: Reader, hub: OfHub) -> Response:
    """Follow a sync as server-sent events, until it has ended."""
    await run_in_threadpool(syncing.status, hub.client, hub.database, job_id)

    def look() -> Seen:
        found = syncing.status(hub.client, hub.database, job_id)
        document = SyncJob.model_validate(found).model_dump(mode="json")
        return Seen(msgspec.json.encode(document), is_last=is_over(found))

    return EventStream(hub.following.follow(str(job_id), look), "progress")


@router.post("/{job_id}/cancel", response_model=SyncJob, responses=PROBLEMS.responses(404, 409))
def cancel_job(job_id: JobPath, _person: Changer, hub: OfHub) -> dict[str, Any]:
    """Cancel a sync: what waits at once, what runs at its next page. What is stored stays."""
    syncing.cancel(hub.client, hub.database, job_id)
    return syncing.status(hub.client, hub.database, job_id)


@router.post("/{job_id}/retry", response_model=SyncJob, responses=PROBLEMS.responses(404, 409))
def retry_job(job_id: JobPath, _person: Changer, hub: OfHub) -> dict[str, Any]:
    """Do what failed again, from where it had come to."""
    syncing.retry(hub.client, hub.database, job_id)
    return syncing.status(hub.client, hub.database, job_id)
