"""Retention: how long ended jobs are kept."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field, StringConstraints

from leasehold.errors import BadOption
from leasehold.model.keeping import Scope
from leasehold.model.values import DEFAULT_QUEUE
from leasehold.web.access.rights import ApiRouter, administers_all, reads_all
from leasehold.web.api.queues import Changed
from leasehold.web.api.values import By, Command, Document, Name, NameQuery, said
from leasehold.web.described import problems
from leasehold.web.site import OfSite

router = ApiRouter(prefix="/api/retention", tags=["retention"])

_KEEP = r"^(ever|([0-9]{1,9}(\.[0-9]{1,6})?(ms|s|m|h|d|w))+)$"
KeepText = Annotated[
    str,
    StringConstraints(strict=True, max_length=40, pattern=_KEEP),
    Field(description="Like `7d`, or `ever`.", examples=["7d"]),
]


class Keep(Document):
    """How many seconds after its end a job is kept, by how it ended; null says nothing."""

    succeeded: float | None
    dead: float | None
    cancelled: float | None


class Retention(Document):
    """What is said for all jobs, a queue's or a task's."""

    scope: Scope
    name: str
    keep: Keep
    set_by: str | None = Field(description="Who set it at run time; null: as code declares it.")


class RetentionRequest(Command):
    """What is to be kept how long: of a queue, of a task, or of all when neither is named."""

    queue: Name | None = None
    task: Name | None = None
    keep: KeepText | None = Field(default=None, description="Of those that succeeded.")
    dead: KeepText | None = None
    cancelled: KeepText | None = None
    by: By = None


@router.get("", response_model=list[Retention], responses=problems())
@reads_all
def list_retention(site: OfSite) -> Any:
    """List what is said: for all jobs, then by queue, then by task."""
    return site.client.retention.list()


@router.get("/effective", response_model=Keep, responses=problems())
@reads_all
def get_retention(
    site: OfSite,
    *,
    queue: Annotated[str, Query(max_length=200)] = DEFAULT_QUEUE,
    task: NameQuery = None,
) -> Any:
    """Say how many seconds a job of this queue and task is kept, by how it ended."""
    return site.client.retention.of(queue=queue, task=task)


@router.put("", status_code=204, responses=problems(BadOption))
@administers_all
def set_retention(site: OfSite, request: RetentionRequest) -> None:
    """Say how long ended jobs are kept; it takes the place of what was said there."""
    site.client.retention.set(**said(request))


@router.delete("", response_model=Changed, responses=problems(BadOption))
@administers_all
def reset_retention(site: OfSite, *, queue: NameQuery = None, task: NameQuery = None) -> Any:
    """Forget what was set for a queue, a task, or all."""
    return {"is_changed": site.client.retention.reset(queue=queue, task=task)}
