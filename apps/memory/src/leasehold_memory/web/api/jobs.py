"""`/api/jobs`: what is still being remembered, what failed and why; do it again."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

import leasehold as lh
from leasehold.kit.web import Changer, Document, Reader
from leasehold_memory.web.api.values import DEFAULT_PAGE, JobPath, LimitQuery, PresetQuery
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.problems import PROBLEMS

if TYPE_CHECKING:
    from leasehold_memory.opening import Memory

router = APIRouter(prefix="/api/jobs", tags=["jobs"])
KindQuery: TypeAlias = Annotated[
    str | None, Query(max_length=60, pattern=r"^[a-z_]+$", examples=["extract_facts"])
]
StateName: TypeAlias = Literal[
    "queued", "blocked", "running", "failed", "succeeded", "dead", "cancelled"
]
# As the view `jobs` of the file has it: a failure that is tried again waits.
_STATUS: dict[lh.State, int] = {
    lh.State.QUEUED: 0,
    lh.State.BLOCKED: 0,
    lh.State.FAILED: 0,
    lh.State.RUNNING: 1,
    lh.State.SUCCEEDED: 2,
    lh.State.DEAD: 3,
    lh.State.CANCELLED: 3,
}


class JobDocument(Document):
    """One job of a memory. `status`: 0 queued, 1 running, 2 done, 3 failed."""

    id: UUID
    kind: str = Field(examples=["extract_facts"])
    payload: dict[str, Any] = Field(examples=[{"unit_id": 7}])
    status: Literal[0, 1, 2, 3]
    state: StateName = Field(description="The same, as the queue has it.")
    run_after: datetime | None
    tries: int
    last_error: str | None
    created_at: datetime
    finished_at: datetime | None


class AttemptDocument(Document):
    """One ended attempt."""

    attempt: int
    outcome: str
    started_at: datetime | None
    finished_at: datetime
    error: str | None


class JobDetails(JobDocument):
    """A job with its history, and why it waits."""

    history: list[AttemptDocument]
    why: str = Field(description="Why it does not run now, in a sentence.")


class JobPage(Document):
    """Newest first."""

    jobs: list[JobDocument]
    next: UUID | None = Field(description="Pass it as `before` for those after them.")


@router.get("", response_model=JobPage, responses=PROBLEMS.responses(404))
def list_jobs(
    _person: Reader,
    hub: OfHub,
    *,
    preset: PresetQuery = None,
    state: StateName | None = None,
    kind: KindQuery = None,
    before: UUID | None = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> dict[str, Any]:
    """List the jobs of a memory, the newest first."""
    wanted = None if state is None else lh.State(state)
    with hub.memory(preset) as memory:
        page = memory.client.page(state=wanted, kind=kind, before=before, limit=limit)
    return {"jobs": [job_fields(each) for each in page.jobs], "next": page.before}


@router.get("/{job_id}", response_model=JobDetails, responses=PROBLEMS.responses(404))
def get_job(
    job_id: JobPath, _person: Reader, hub: OfHub, preset: PresetQuery = None
) -> dict[str, Any]:
    """Read a job with its history."""
    with hub.memory(preset) as memory:
        return _details(memory, job_id)


@router.post("/{job_id}/retry", response_model=JobDetails, responses=PROBLEMS.responses(404, 409))
def retry_job(
    job_id: JobPath, _person: Changer, hub: OfHub, preset: PresetQuery = None
) -> dict[str, Any]:
    """Do a job again that failed for good, or that waits for its next try."""
    with hub.memory(preset) as memory:
        memory.client.retry(job_id)
        return _details(memory, job_id)


def job_fields(job: lh.Job) -> dict[str, Any]:
    """Name a job's fields as the view `jobs` does."""
    return {
        "id": job.id,
        "kind": job.kind,
        "payload": job.args,
        "status": _STATUS[job.state],
        "state": job.state.value,
        "run_after": job.run_at,
        "tries": job.failures,
        "last_error": job.error,
        "created_at": job.created_at,
        "finished_at": job.finished_at,
    }


def _details(memory: Memory, job_id: UUID) -> dict[str, Any]:
    client = memory.client
    job = client.get(job_id)
    return job_fields(job) | {"history": client.history(job_id), "why": client.why(job_id).text}
