"""Jobs of an organization: how they stand, to cancel one, and to try one again."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import Field

import leasehold as lh
from leasehold.kit.web import Document
from leasehold_documents.access import Access
from leasehold_documents.data import browsing, job_list
from leasehold_documents.errors import EndedAlready, NotFound, Rejected
from leasehold_documents.model.jobs import EXTRACT
from leasehold_documents.web.api.values import (
    DEFAULT_PAGE,
    LIVE,
    CursorQuery,
    JobPath,
    JobStatus,
    LimitQuery,
)
from leasehold_documents.web.hub import OfHub
from leasehold_documents.web.looking import follow
from leasehold_documents.web.people import Changer, Reader
from leasehold_documents.web.problems import PROBLEMS

if TYPE_CHECKING:
    from sqlalchemy import Connection

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


class Job(Document):
    """A job. `failed` is tried again, at `run_at`; `dead` is not."""

    id: UUID
    type: str = Field(examples=["extract_document"])
    payload: dict[str, Any]
    status: JobStatus
    priority: int
    attempts: int
    max_attempts: int
    run_at: datetime | None
    started_at: datetime | None
    finished_at: datetime | None
    result: Any
    error_message: str | None
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime | None


class JobPage(Document):
    """Jobs, newest first."""

    jobs: list[Job]
    next: UUID | None


@router.get("", response_model=JobPage, responses=PROBLEMS.responses())
def list_jobs(
    access: Reader,
    status: JobStatus | None = None,
    before: CursorQuery = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> dict[str, Any]:
    """List jobs, newest first."""
    page = find_jobs(access, status=status, before=before, limit=limit)
    return {"jobs": page.rows, "next": page.next}


@router.get("/events", include_in_schema=False)  # it has no end
async def follow_jobs(request: Request, access: Reader, hub: OfHub) -> Response:
    """Follow how many jobs wait, run and are tried again: the server-sent events `jobs`."""

    def look(connection: Connection) -> tuple[Any, bool]:
        newest = job_list.jobs_of(connection, access.tenant_id, limit=1).rows
        seen = {"newest": str(newest[0]["id"]) if newest else None}
        return job_list.counts(connection, access.tenant_id) | seen, False

    return follow(request, hub, access, ("jobs", "jobs"), look)


@router.get("/{job_id}", response_model=Job, responses=PROBLEMS.responses(404))
def get_job(job_id: JobPath, access: Reader) -> dict[str, Any]:
    """Say how a job stands."""
    return find_job(access, job_id)


@router.post("/{job_id}/cancel", response_model=Job, responses=PROBLEMS.responses(404, 409))
def cancel_job(job_id: JobPath, access: Changer) -> dict[str, Any]:
    """Cancel a job; what it was to cost is given back."""
    cancel(access, job_id)
    return find_job(access, job_id)


@router.post("/{job_id}/retry", response_model=Job, responses=PROBLEMS.responses(404, 409))
def retry_job(job_id: JobPath, access: Changer) -> dict[str, Any]:
    """Try a job again. An extraction whose price was given back needs a new consent instead."""
    retry(access, job_id)
    return find_job(access, job_id)


def find_jobs(access: Access, **wanted: Any) -> Any:
    with access.browse() as connection:
        return job_list.jobs_of(connection, access.tenant_id, **wanted)


def find_job(access: Access, job_id: UUID) -> dict[str, Any]:
    with access.browse() as connection:
        found = job_list.get(connection, access.tenant_id, job_id)
    if found is None:
        raise NotFound("job", job_id)
    return found


def cancel(access: Access, job_id: UUID) -> None:
    """Cancel a job of this tenant's; refused when it has ended in another way."""
    find_job(access, job_id)
    state = access.client.cancel(job_id, by=str(access.user_id))
    if state in {lh.State.SUCCEEDED, lh.State.DEAD}:
        raise EndedAlready(job_id, str(state))


def retry(access: Access, job_id: UUID) -> None:
    """Try a job of this tenant's again, unless its consent is spent."""
    found = find_job(access, job_id)
    if found["type"] == EXTRACT and not _has_consent(access, found):
        reason = "its price was given back, or spent: ask for a new estimate"
        raise Rejected("CONSENT_SPENT", reason)
    access.client.retry(job_id)


def _has_consent(access: Access, job: dict[str, Any]) -> bool:
    document_id = UUID(job["payload"]["document_id"])
    with access.read() as connection:
        found = browsing.extractions_of(connection, access.tenant_id, document_id)
    return any(each["job_id"] == job["id"] and each["status"] in LIVE for each in found)
