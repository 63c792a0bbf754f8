"""Jobs: how each stands, to cancel one, and to try one again."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Response

from leasehold_documents.model.jobs import EXTRACT
from leasehold_documents.running.settling import reason_of
from leasehold_documents.web.api import jobs
from leasehold_documents.web.api.values import JobPath, JobStatus
from leasehold_documents.web.pages.shell import PAGES, OfVisit, Visit, code_text
from leasehold_documents.web.people import Changer, Reader

router = APIRouter(prefix="/jobs", include_in_schema=False)
ROWS = 50
CANCELLABLE = frozenset({"queued", "running", "failed"})
RETRIABLE = frozenset({"dead", "cancelled", "failed"})


@router.get("")
def show_jobs(
    visit: OfVisit,
    access: Reader,
    status: Annotated[JobStatus | None, Query()] = None,
    before: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show jobs, newest first."""
    page = jobs.find_jobs(access, status=status, before=before, limit=ROWS)
    return PAGES.render(
        visit,
        "jobs.html",
        jobs=[_shown(visit, each) for each in page.rows],
        chosen=status or "",
        next=page.next and visit.link("/jobs", status=status, before=page.next),
    )


@router.post("/{job_id}/cancel")
def cancel(job_id: JobPath, visit: OfVisit, access: Changer) -> Response:
    """Cancel a job."""
    jobs.cancel(access, job_id)
    return visit.go("/jobs", "cancelled")


@router.post("/{job_id}/retry")
def retry(job_id: JobPath, visit: OfVisit, access: Changer) -> Response:
    """Try a job again."""
    jobs.retry(access, job_id)
    return visit.go("/jobs", "retried")


def _shown(visit: Visit, job: dict[str, Any]) -> dict[str, Any]:
    """Say what can be done: an extraction that has ended needs a new consent, on its paper."""
    is_spent = job["type"] == EXTRACT and job["status"] in {"dead", "cancelled"}
    return job | {
        "why": _why(visit, job["error_message"] or ""),
        "document_id": job["payload"].get("document_id"),
        "may_cancel": job["status"] in CANCELLABLE,
        "may_retry": job["status"] in RETRIABLE and not is_spent,
    }


def _why(visit: Visit, error: str) -> str:
    """Say why it failed, in the reader's language where the error has a code of ours."""
    code, message = reason_of(error)
    return error if message == error else code_text(visit, code, message)
