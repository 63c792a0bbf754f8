"""Jobs, one at a time: enqueue, list, show, cancel, retry, delete, reprioritise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, cast

from fastapi import Query, Request, Response

from leasehold.errors import (
    BadArguments,
    BadOption,
    BatchNotFound,
    BatchSealed,
    IdConflict,
    JobNotFound,
    KeyBusy,
    KeyHeld,
    QuotaBusy,
    QuotaExceeded,
    WrongState,
)
from leasehold.model.states import State
from leasehold.web.access.rights import ApiRouter, operates, reads
from leasehold.web.api import job_documents as documents
from leasehold.web.api.callbacks import read_callback
from leasehold.web.api.values import (
    DEFAULT_PAGE,
    BeforeQuery,
    Command,
    IdQuery,
    JobIdPath,
    LimitQuery,
    NameQuery,
    Priority,
    Tenant,
    Who,
    said,
)
from leasehold.web.described import problems
from leasehold.web.site import OfSite

if TYPE_CHECKING:
    from leasehold.options import JobOptions
    from leasehold.task import Enqueued
    from leasehold.web.site import Site

router = ApiRouter(prefix="/api/jobs", tags=["jobs"])

_ENDED = {State.SUCCEEDED, State.DEAD}
_FOUND = problems(JobNotFound)
_CHANGED = problems(JobNotFound, WrongState)


class PriorityRequest(Command):
    """A job's new priority; higher runs first."""

    priority: Priority


@router.post(
    "",
    status_code=201,
    response_model=documents.Enqueued,
    responses={
        200: {
            "model": documents.Enqueued,
            "description": "It was there already, or its key is held",
        },
        **problems(
            BadArguments,
            BadOption,
            BatchNotFound,
            IdConflict,
            BatchSealed,
            KeyBusy,
            QuotaBusy,
            QuotaExceeded,
        ),
    },
)
@operates
def enqueue_job(
    site: OfSite, job: documents.JobRequest, request: Request, response: Response
) -> Any:
    """Enqueue one job of a task, by its name; it is safe in the database when this answers.

    The arguments of a task that runs in this service are checked here, others by the worker. With
    an id of your own the call can be repeated: the same job again is 200, another one under that
    id is 409.
    """
    done = _enqueue(site, job)
    response.status_code = 201 if done.is_new else 200
    response.headers["Location"] = f"{request.scope['root_path']}/api/jobs/{done.id}"
    return done


def _enqueue(site: Site, job: documents.JobRequest) -> Enqueued[Any]:
    given = {name: value for name, value in said(job).items() if value is not None}
    if "on_end" in given:
        given["on_end"] = read_callback(site, job.on_end)
    kind, args = given.pop("kind"), given.pop("args", {})
    options = cast("JobOptions", given)
    if kind in site.registry:
        return site.client.enqueue(site.registry[kind].with_options(**options), **args)
    return site.client.enqueue_by_name(kind, args, **options)


@router.get("", response_model=documents.JobPage, responses=problems())
@reads
def list_jobs(
    site: OfSite,
    *,
    state: Annotated[State | None, Query()] = None,
    queue: NameQuery = None,
    kind: NameQuery = None,
    tenant: Annotated[Tenant | None, Query()] = None,
    batch: IdQuery = None,
    key: NameQuery = None,
    limit: LimitQuery = DEFAULT_PAGE,
    before: BeforeQuery = None,
) -> Any:
    """List jobs, newest first, a page at a time.

    A page may have fewer jobs than the limit, or none, and others after it: `next` tells.
    """
    page = site.client.page(
        state=state,
        queue=queue,
        kind=kind,
        tenant=tenant,
        batch=batch,
        key=key,
        limit=limit,
        before=before,
    )
    return {"jobs": page.jobs, "next": page.before}


@router.get("/{job_id}", response_model=documents.Job, responses=_FOUND)
@reads
def get_job(site: OfSite, job_id: JobIdPath) -> Any:
    """Return one job as it stands now."""
    return site.client.get(job_id)


@router.get("/{job_id}/detail", response_model=documents.JobDetail, responses=_FOUND)
@reads
def get_job_detail(site: OfSite, job_id: JobIdPath) -> Any:
    """Return all that is known of a job: how far it is, its steps and attempts, why it waits."""
    client = site.client
    return {
        "job": client.get(job_id),
        "checkpoint": client.checkpoint(job_id),
        "steps": client.steps(job_id),
        "history": client.history(job_id),
        "why": client.why(job_id),
    }


@router.get("/{job_id}/history", response_model=list[documents.Attempt], responses=_FOUND)
@reads
def get_job_history(site: OfSite, job_id: JobIdPath) -> Any:
    """List the job's ended attempts, oldest first."""
    return site.client.history(job_id)


@router.get("/{job_id}/checkpoint", response_model=documents.Checkpoint | None, responses=_FOUND)
@reads
def get_job_checkpoint(site: OfSite, job_id: JobIdPath) -> Any:
    """Return how far the job is, as it has saved it itself; null when it has saved nothing."""
    return site.client.checkpoint(job_id)


@router.get("/{job_id}/steps", response_model=list[documents.Step], responses=_FOUND)
@reads
def get_job_steps(site: OfSite, job_id: JobIdPath) -> Any:
    """List the steps that the job remembers, oldest first."""
    return site.client.steps(job_id)


@router.get("/{job_id}/why", response_model=documents.Why, responses=_FOUND)
@reads
def get_job_why(site: OfSite, job_id: JobIdPath) -> Any:
    """Say why the job does not run now, and what to do about it."""
    return site.client.why(job_id)


@router.post("/{job_id}/cancel", response_model=documents.JobState, responses=_CHANGED)
@operates
def cancel_job(site: OfSite, job_id: JobIdPath, who: Who) -> Any:
    """End a waiting job as cancelled, or ask a running one to stop.

    The state is `running` as long as the handler has not stopped.
    """
    state = site.client.cancel(job_id, by=who.by)
    if state in _ENDED:
        raise WrongState(job_id, state, "cancel")
    return {"id": job_id, "state": state}


@router.post(
    "/{job_id}/retry",
    response_model=documents.JobState,
    responses=problems(JobNotFound, WrongState, KeyHeld),
)
@operates
def retry_job(site: OfSite, job_id: JobIdPath) -> Any:
    """Make a failed, dead or cancelled job ready now, with its attempts to spend anew."""
    return {"id": job_id, "state": site.client.retry(job_id)}


@router.put("/{job_id}/priority", response_model=documents.JobState, responses=_CHANGED)
@operates
def reprioritise_job(site: OfSite, job_id: JobIdPath, request: PriorityRequest) -> Any:
    """Change the priority of a waiting job."""
    return {"id": job_id, "state": site.client.reprioritise(job_id, request.priority)}


@router.delete("/{job_id}", status_code=204, responses=problems(WrongState))
@operates
def delete_job(site: OfSite, job_id: JobIdPath) -> None:
    """Delete a job and its history. One that is gone already is fine, a running one is not."""
    site.client.delete(job_id)
