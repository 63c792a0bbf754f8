"""Batches: jobs that belong together."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from fastapi import Query
from pydantic import Field

from leasehold.errors import BadOption, BatchBusy, BatchNotFound, BatchSealed
from leasehold.model.batches import BatchStatus
from leasehold.model.states import State
from leasehold.web.access.rights import ApiRouter, operates, reads
from leasehold.web.api.callbacks import CallbackRequest, read_callback
from leasehold.web.api.job_documents import JobPage
from leasehold.web.api.values import (
    DEFAULT_PAGE,
    BatchIdPath,
    BeforeQuery,
    By,
    Command,
    Document,
    Id,
    IdQuery,
    Json,
    LimitQuery,
    Name,
    NameQuery,
    Tenant,
    Who,
    said,
)
from leasehold.web.described import problems
from leasehold.web.site import OfSite

router = ApiRouter(prefix="/api/batches", tags=["batches"])

_FOUND = problems(BatchNotFound)
_SETTLED = problems(BatchNotFound, BatchBusy)


class BatchRequest(Command):
    """A batch to make, open for members: enqueue jobs with its id as `batch`, then seal it."""

    id: Id | None = Field(default=None, description="The same id again is the same batch.")
    name: Name | None = None
    meta: Json | None = Field(default=None, description="Whatever its callbacks should know.")
    parent: Id | None = Field(default=None, description="The batch that ends only after this one.")
    tenant: Tenant = ""
    created_by: By = None
    on_end: CallbackRequest | None = Field(
        default=None, description="A job to make when all members have ended."
    )
    on_failure: CallbackRequest | None = Field(
        default=None, description="A job to make when the first member is dead."
    )


class BatchCounts(Document):
    """Members by their state, at one moment. They add up to `total`."""

    total: int
    queued: int
    blocked: int
    running: int
    failed: int
    succeeded: int
    dead: int
    cancelled: int


class Batch(Document):
    """A batch as it stands. The units are what its members report; null: none has."""

    id: UUID
    tenant: str
    name: str | None
    parent: UUID | None
    meta: Json
    status: BatchStatus
    round: int = Field(description="Grows each time it is opened again to retry what failed.")
    counts: BatchCounts
    progress: float = Field(description="How many of its members have ended, from 0 to 1.")
    processed: float | None
    total_units: float | None
    created_by: str | None
    created_at: datetime
    sealed_at: datetime | None
    failed_at: datetime | None
    cancelled_at: datetime | None
    cancelled_by: str | None
    ended_at: datetime | None


class BatchPage(Document):
    """Batches, newest first. `next` is the `before` of the next page; null on the last one."""

    batches: list[Batch]
    next: UUID | None


@router.post(
    "",
    status_code=201,
    response_model=Batch,
    responses=problems(BadOption, BatchNotFound, BatchSealed),
)
@operates
def create_batch(site: OfSite, batch: BatchRequest) -> Any:
    """Make a batch, open for members."""
    callbacks = {
        "on_end": read_callback(site, batch.on_end),
        "on_failure": read_callback(site, batch.on_failure),
    }
    return site.client.batches.create(**said(batch) | callbacks).info()


@router.get("", response_model=BatchPage, responses=problems())
@reads
def list_batches(
    site: OfSite,
    *,
    status: Annotated[BatchStatus | None, Query()] = None,
    tenant: Annotated[Tenant | None, Query()] = None,
    name: NameQuery = None,
    parent: IdQuery = None,
    limit: LimitQuery = DEFAULT_PAGE,
    before: BeforeQuery = None,
) -> Any:
    """List batches, newest first, a page at a time."""
    found = site.client.batches.list(
        status=status, tenant=tenant, name=name, parent=parent, limit=limit, before=before
    )
    return {"batches": found, "next": found[-1].id if len(found) == limit else None}


@router.get("/{batch_id}", response_model=Batch, responses=_FOUND)
@reads
def get_batch(site: OfSite, batch_id: BatchIdPath) -> Any:
    """Return what it is and how its members stand, at one moment."""
    return site.client.batches.get(batch_id)


@router.get("/{batch_id}/jobs", response_model=JobPage, responses=_FOUND)
@reads
def list_batch_jobs(
    site: OfSite,
    batch_id: BatchIdPath,
    *,
    state: Annotated[State | None, Query()] = None,
    limit: LimitQuery = DEFAULT_PAGE,
    before: BeforeQuery = None,
) -> Any:
    """List its members, newest first, a page at a time."""
    site.client.batches.get(batch_id)  # else `BatchNotFound`
    jobs = site.client.find(batch=batch_id, state=state, limit=limit, before=before)
    return {"jobs": jobs, "next": jobs[-1].id if len(jobs) == limit else None}


@router.post("/{batch_id}/seal", response_model=Batch, responses=_SETTLED)
@operates
def seal_batch(site: OfSite, batch_id: BatchIdPath) -> Any:
    """Let only its running members add to it from now on: it ends with the last of them."""
    return site.client.batches.seal(batch_id)


@router.post("/{batch_id}/cancel", response_model=Batch, responses=_SETTLED)
@operates
def cancel_batch(site: OfSite, batch_id: BatchIdPath, who: Who) -> Any:
    """Cancel all members that have not ended, of nested batches too; it takes no more of them."""
    return site.client.batches.cancel(batch_id, by=who.by)


@router.post("/{batch_id}/retry", response_model=Batch, responses=_SETTLED)
@operates
def retry_batch(site: OfSite, batch_id: BatchIdPath) -> Any:
    """Run its dead and cancelled members anew; one that has ended is opened for another round."""
    return site.client.batches.retry_failed(batch_id)
