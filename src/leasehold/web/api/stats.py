"""Statistics: how it stands now, what happened lately, what goes wrong most often."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from fastapi import Query
from pydantic import Field

from leasehold.errors import BadOption
from leasehold.web.access.rights import ApiRouter, reads_all
from leasehold.web.api.values import DURATION_PATTERN, Document, NameQuery
from leasehold.web.described import problems
from leasehold.web.site import OfSite

router = ApiRouter(prefix="/api/stats", tags=["stats"])

_RESPONSES = problems(BadOption)
_MOST_GROUPS = 500
Span: TypeAlias = Annotated[
    str, Query(max_length=40, pattern=DURATION_PATTERN, description="Like `1h`; a week at most.")
]


class Depth(Document):
    """How many live jobs a queue had at a moment, by where they stood; queue "" is all of them."""

    at: datetime
    queue: str
    ready: int
    blocked: int
    scheduled: int
    failed: int
    running: int
    parked: int
    oldest_seconds: float | None = Field(description="Of the one that was ready for longest.")


class RunTimes(Document):
    """How long attempts ran. The average is exact; percentiles are within a factor of two."""

    count: int
    average_seconds: float | None
    p50_seconds: float | None
    p95_seconds: float | None
    p99_seconds: float | None


class Activity(Document):
    """What attempts came to in the window: of all, of one queue, or of one kind."""

    queue: str
    kind: str
    counts: dict[str, int] = Field(description="By what they came to.")
    per_second: float = Field(description="Those that succeeded.")
    failure_rate: float | None
    ran: RunTimes


class Overview(Document):
    """How it stands now, and what happened in the window before."""

    at: datetime
    sampled_at: datetime = Field(description="When jobs were counted.")
    window_seconds: float
    queues: list[Depth]
    depth: Depth
    workers: int = Field(description="Those that were seen lately.")
    slots: int = Field(description="How many jobs these can run at once.")
    activity: Activity
    by_queue: list[Activity]
    by_kind: list[Activity]
    in_queue: int = Field(description="All that wait, for a time to come too.")
    failed_24h: int = Field(description="Jobs that ended dead within a day.")
    average_seconds: float | None = Field(description="How long attempts ran in the window.")


class Point(Document):
    """One step of a series, from `at` on; the last one is not over yet."""

    at: datetime
    seconds: float
    counts: dict[str, int]
    ran: RunTimes
    depth: Depth | None


class FailureGroup(Document):
    """Attempts that failed alike: of one kind, with one sort of error."""

    kind: str
    queue: str = Field(description="The newest one's.")
    error: str = Field(description="The error's class.")
    message: str = Field(description="With what differs, like numbers and ids, left out.")
    count: int
    dead: int = Field(description="Of these, jobs that are dead now.")
    waiting: int = Field(description="Of these, jobs that wait for their next try.")
    first_at: datetime
    last_at: datetime
    sample: UUID = Field(description="The newest of the jobs.")
    sample_error: str


@router.get("", response_model=Overview, responses=_RESPONSES)
@reads_all
def get_stats(site: OfSite, window: Span = "1h") -> Any:
    """Say how it stands now, and what happened in the window before."""
    return site.client.stats.overview(window)


@router.get("/series", response_model=list[Point], responses=_RESPONSES)
@reads_all
def get_series(
    site: OfSite, *, window: Span = "1h", queue: NameQuery = None, kind: NameQuery = None
) -> Any:
    """List what happened in even steps, the oldest first."""
    return site.client.stats.series(window, queue=queue, kind=kind)


@router.get("/failures", response_model=list[FailureGroup], responses=_RESPONSES)
@reads_all
def list_failures(
    site: OfSite,
    *,
    since: Span = "24h",
    limit: Annotated[int, Query(ge=1, le=_MOST_GROUPS)] = 50,
) -> Any:
    """Group the newest 10,000 attempts that did not end well by what went wrong."""
    return site.client.stats.failures(since, limit=limit)
