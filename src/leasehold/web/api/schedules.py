"""Schedules: rules that make jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, cast
from uuid import UUID

from fastapi import Query
from pydantic import Field

from leasehold.errors import BadArguments, BadOption, ScheduleNotFound
from leasehold.model.cron import Dst
from leasehold.model.schedules import DEFAULT_CAP, DEFAULT_ZONE, GREATEST_CAP, Missed
from leasehold.options import JobOptions
from leasehold.schedules import MOST_SLOTS
from leasehold.web.access.rights import ApiRouter, operates, reads
from leasehold.web.api.job_documents import JobWords
from leasehold.web.api.queues import Changed
from leasehold.web.api.values import (
    By,
    Command,
    Document,
    Duration,
    Json,
    MomentQuery,
    Name,
    NamePath,
    TenantQuery,
    Who,
    Whole,
    said,
)
from leasehold.web.described import problems
from leasehold.web.site import OfSite

router = ApiRouter(prefix="/api/schedules", tags=["schedules"])

_FOUND = problems(ScheduleNotFound)
_SET = problems(BadOption, BadArguments)
_TIMING = ("zone", "dst", "missed", "missed_cap", "jitter")


class Schedule(Document):
    """A schedule: its rule, the job that it makes, its last and its next run."""

    name: str
    tenant: str
    rule: str
    kind: str
    job: Json = Field(description="What it enqueues.")
    zone: str
    dst: Dst
    missed: Missed
    missed_cap: int
    jitter_seconds: float
    created_at: datetime
    updated_at: datetime
    next_at: datetime | None
    last_slot: datetime | None
    last_fired_at: datetime | None
    last_job: UUID | None
    paused_at: datetime | None
    paused_by: str | None
    set_by: str | None = Field(description="Who set it at run time; null: as code declares it.")
    version: int


class ScheduleRequest(Command):
    """A schedule to make, or to change as a whole."""

    model_config = Command.model_config | {
        "json_schema_extra": {
            "examples": [
                {
                    "rule": "0 3 * * *",
                    "zone": "Europe/Berlin",
                    "job": {"kind": "shop.tasks.tidy_up", "args": {"days": 7}},
                }
            ]
        }
    }

    rule: Name = Field(description="Cron, `@daily`, or `every 90s`.")
    job: JobWords
    zone: Name = Field(default=DEFAULT_ZONE, description="Where its clock hangs.")
    dst: Dst = Field(default=Dst.AUTO, description="What happens when that clock changes.")
    missed: Missed = Field(default=Missed.LATEST, description="What becomes of missed slots.")
    missed_cap: Annotated[Whole, Field(ge=1, le=GREATEST_CAP)] = DEFAULT_CAP
    jitter: Duration = 0.0
    by: By = None


class ScheduleChange(Command):
    """What is to change of when it fires; what is left out stays, and so does its job."""

    rule: Name | None = None
    zone: Name | None = None
    dst: Dst | None = None
    missed: Missed | None = None
    missed_cap: Annotated[Whole, Field(ge=1, le=GREATEST_CAP)] | None = None
    jitter: Duration | None = None
    by: By = None


class Run(Document):
    """The job that was enqueued; with a key that is held, the job that stands."""

    job_id: UUID


@router.get("", response_model=list[Schedule], responses=problems())
@reads
def list_schedules(
    site: OfSite, tenant: Annotated[str | None, Query(max_length=200)] = None
) -> Any:
    """List the schedules of one tenant or of all."""
    return site.client.schedules.list(tenant=tenant)


@router.get("/{name:any}/preview", response_model=list[datetime], responses=_FOUND)
@reads
def preview_schedule(
    site: OfSite,
    name: NamePath,
    *,
    tenant: TenantQuery = "",
    count: Annotated[int, Query(ge=1, le=MOST_SLOTS)] = 10,
    after: MomentQuery = None,
) -> Any:
    """List its next slots, in UTC, whether it is paused or not."""
    return site.client.schedules.preview(name, count, tenant=tenant, after=after)


@router.get("/{name:bare}", response_model=Schedule, responses=_FOUND)
@reads
def get_schedule(site: OfSite, name: NamePath, tenant: TenantQuery = "") -> Any:
    """Return one schedule."""
    return site.client.schedules.get(name, tenant=tenant)


@router.put("/{name:bare}", response_model=Schedule, responses=_SET)
@operates
def set_schedule(
    site: OfSite, name: NamePath, request: ScheduleRequest, tenant: TenantQuery = ""
) -> Any:
    """Make a schedule, or change one; what code declares does not undo it."""
    given = {field: value for field, value in said(request.job).items() if value is not None}
    kind, args = given.pop("kind"), given.pop("args", {})
    options = cast("JobOptions", {**given, "tenant": tenant})
    timing = {field: value for field, value in said(request).items() if field in _TIMING}
    by = request.by
    schedules = site.client.schedules
    return schedules.set(name, request.rule, kind, args, options=options, by=by, **timing)


@router.patch(
    "/{name:bare}", response_model=Schedule, responses=problems(ScheduleNotFound, BadOption)
)
@operates
def change_schedule(
    site: OfSite, name: NamePath, request: ScheduleChange, tenant: TenantQuery = ""
) -> Any:
    """Change when it fires; it goes on with the next slot. What code declares does not undo it."""
    changes = {field: value for field, value in said(request).items() if value is not None}
    return site.client.schedules.change(name, tenant=tenant, **changes)


@router.post("/{name:any}/pause", response_model=Changed, responses=_FOUND)
@operates
def pause_schedule(
    site: OfSite,
    name: NamePath,
    who: Who,
    tenant: TenantQuery = "",
) -> Any:
    """Fire it no more until it is resumed."""
    is_changed = site.client.schedules.pause(name, tenant=tenant, by=who.by)
    return {"is_changed": is_changed}


@router.post("/{name:any}/resume", response_model=Changed, responses=_FOUND)
@operates
def resume_schedule(site: OfSite, name: NamePath, tenant: TenantQuery = "") -> Any:
    """Go on with the next slot, not with those of the pause."""
    return {"is_changed": site.client.schedules.resume(name, tenant=tenant)}


@router.post("/{name:any}/run", response_model=Run, responses=_FOUND)
@operates
def run_schedule(site: OfSite, name: NamePath, tenant: TenantQuery = "") -> Any:
    """Enqueue its job now, also when it is paused; its slots stay as they are."""
    return {"job_id": site.client.schedules.run_now(name, tenant=tenant)}


@router.delete("/{name:bare}", status_code=204, responses=problems())
@operates
def delete_schedule(site: OfSite, name: NamePath, tenant: TenantQuery = "") -> None:
    """Delete it, not its jobs. A worker whose code declares it makes it again at its start."""
    site.client.schedules.delete(name, tenant=tenant)
