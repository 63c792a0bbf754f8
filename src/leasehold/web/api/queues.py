"""Queues: how many jobs stand where, pause, resume, drain, limit, aging."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Annotated, Any

from fastapi import Body
from msgspec.structs import asdict
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from leasehold.control import DRAIN_LOOK_SECONDS, GREATEST_LIMIT, running_in
from leasehold.errors import BadOption
from leasehold.model.durations import seconds
from leasehold.web.access.rights import ApiRouter, operates_all, reads_all
from leasehold.web.api.values import (
    By,
    Command,
    Document,
    Duration,
    Moment,
    NamePath,
    Remark,
    Whole,
)
from leasehold.web.described import problems
from leasehold.web.site import OfSite, Site

router = ApiRouter(prefix="/api/queues", tags=["queues"])

_LONGEST_DRAIN_SECONDS = 60.0
_COUNTS = ("ready", "blocked", "scheduled", "failed", "running", "parked")
_SAID = (
    "paused_until",
    "pause_reason",
    "paused_by",
    "aging_seconds",
    "running_limit",
    "limited_by",
)
_RESPONSES = problems(BadOption)


class Queue(Document):
    """A queue: its live jobs, by where they stand, and what people said about it."""

    name: str
    ready: int = Field(description="Can start now.")
    blocked: int = Field(description="Wait for a throttle or for other jobs.")
    scheduled: int = Field(description="Wait for their time.")
    failed: int = Field(description="Wait for their next try.")
    running: int
    parked: int = Field(description="Wait for a worker that knows their task.")
    paused_until: datetime | None = Field(description="Far in the future: until it is resumed.")
    pause_reason: str | None
    paused_by: str | None
    aging_seconds: float | None
    running_limit: int | None = Field(description="At once, in all workers; null: no limit.")
    limited_by: str | None


class PauseRequest(Command):
    """How long it is paused: until a moment, for a time, or until it is resumed."""

    until: Moment | None = None
    duration: Duration | None = Field(default=None, description="How long; instead of `until`.")
    reason: Remark = Field(default="", description="Why; it is shown.")
    by: By = None


class DrainRequest(Command):
    """How long to wait for what runs; a minute at most, then ask again."""

    timeout: Duration = 30.0
    reason: Remark = ""
    by: By = None


class Drained(Document):
    """How many of its jobs still run; the queue stays paused until it is resumed."""

    running: int


class LimitRequest(Command):
    """How many of its jobs may run at once, in all workers; 0: none."""

    running: Whole = Field(ge=0, le=GREATEST_LIMIT)
    by: By = None


class AgingRequest(Command):
    """A job gains a point of priority each time it has waited so long; null: never."""

    aging: Duration | None


class Changed(Document):
    """Whether it was otherwise before."""

    is_changed: bool


Pausing = Annotated[PauseRequest, Body(default_factory=PauseRequest)]
Draining = Annotated[DrainRequest, Body(default_factory=DrainRequest)]


def read_until(request: PauseRequest) -> datetime | float | str | None:
    """Say until when a pause lasts."""
    if request.until is not None and request.duration is not None:
        raise BadOption("give either until or duration, not both")
    return request.until if request.duration is None else request.duration


@router.get("", response_model=list[Queue], responses=problems())
@reads_all
def list_queues(site: OfSite) -> Any:
    """List the queues that have live jobs, or that somebody said something about."""
    return find_queues(site)


def find_queues(site: Site) -> list[dict[str, Any]]:
    """Put together what is counted and what people have said, by queue."""
    said = {each.name: asdict(each) for each in site.client.queues.list()}
    counts = {each.queue: asdict(each) for each in site.client.counts()}
    return [
        {
            "name": name,
            **{column: counts.get(name, {}).get(column, 0) for column in _COUNTS},
            **{column: said.get(name, {}).get(column) for column in _SAID},
        }
        for name in sorted(said | counts)
    ]


@router.post("/{name:any}/pause", status_code=204, responses=_RESPONSES)
@operates_all
def pause_queue(site: OfSite, name: NamePath, request: Pausing) -> None:
    """Let no worker start a job of it until then; running jobs go on, and enqueueing does."""
    site.client.queues.pause(name, until=read_until(request), reason=request.reason, by=request.by)


@router.post("/{name:any}/resume", response_model=Changed, responses=_RESPONSES)
@operates_all
def resume_queue(site: OfSite, name: NamePath) -> Any:
    """End a pause."""
    return {"is_changed": site.client.queues.resume(name)}


@router.post("/{name:any}/drain", response_model=Drained, responses=_RESPONSES)
@operates_all
async def drain_queue(site: OfSite, name: NamePath, request: Draining) -> Any:
    """Pause it, and wait until none of its jobs runs, or until the time is over."""
    wait = min(seconds(request.timeout, name="timeout"), _LONGEST_DRAIN_SECONDS)
    pause = partial(site.client.queues.pause, name, reason=request.reason, by=request.by)
    await run_in_threadpool(pause)
    return {"running": await _wait_until_idle(site, name, time.monotonic() + wait)}


async def _wait_until_idle(site: Site, name: str, deadline: float) -> int:
    """Look now and then, without a thread of its own; returns how many still run."""
    while True:
        running = running_in(name, await run_in_threadpool(site.client.counts))
        left = deadline - time.monotonic()
        if running == 0 or left <= 0 or site.ending.is_set():
            return running
        with suppress(TimeoutError):
            await asyncio.wait_for(site.ending.wait(), min(DRAIN_LOOK_SECONDS, left))


@router.put("/{name:any}/limit", status_code=204, responses=_RESPONSES)
@operates_all
def limit_queue(site: OfSite, name: NamePath, request: LimitRequest) -> None:
    """Let at most so many of its jobs run at once, in all workers; what runs counts."""
    site.client.queues.limit(name, running=request.running, by=request.by)


@router.delete("/{name:any}/limit", response_model=Changed, responses=_RESPONSES)
@operates_all
def unlimit_queue(site: OfSite, name: NamePath) -> Any:
    """Take its limit away."""
    return {"is_changed": site.client.queues.unlimit(name)}


@router.put("/{name:any}/aging", status_code=204, responses=_RESPONSES)
@operates_all
def set_queue_aging(site: OfSite, name: NamePath, request: AgingRequest) -> None:
    """Let jobs that wait long overtake those of a higher priority."""
    site.client.queues.set(name, aging=request.aging)
