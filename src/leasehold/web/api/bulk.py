"""Many jobs at once: cancel, retry or delete all that a filter names, or count them first."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Annotated, Any

from pydantic import Field

from leasehold.bulk import Bulk
from leasehold.errors import BadOption
from leasehold.model.states import State
from leasehold.web.access.rights import ApiRouter, operates
from leasehold.web.api.values import By, Command, Document, Flag, Id, Name, Tenant, Whole, said
from leasehold.web.described import problems
from leasehold.web.site import OfSite, Site

router = ApiRouter(prefix="/api/jobs/bulk", tags=["jobs"])

DEFAULT_LIMIT = 10_000
MOST = 100_000  # some seconds of the database's time: longer than that nobody waits for an answer
_RESPONSES = problems(BadOption)


class JobFilter(Command):
    """Which jobs; what is left out does not restrict. At least one has to be given."""

    state: State | None = None
    queue: Name | None = None
    kind: Name | None = None
    tenant: Tenant | None = None
    batch: Id | None = None
    key: Name | None = Field(default=None, description="Only who has this key, or waits for it.")


class BulkRequest(Command):
    """Jobs to change, newest first. `dry_run` counts them and changes nothing."""

    where: JobFilter
    limit: Annotated[Whole, Field(ge=1, le=MOST)] = DEFAULT_LIMIT
    dry_run: Flag = False


class CancelManyRequest(BulkRequest):
    """Jobs to cancel."""

    by: By = None


class BulkResult(Document):
    """How many the filter named, and how many of them were changed.

    As many as the limit: there may be more, ask again.
    """

    matched: int
    changed: int
    dry_run: bool


@router.post("/cancel", response_model=BulkResult, responses=_RESPONSES)
@operates
def cancel_jobs(site: OfSite, request: CancelManyRequest) -> Any:
    """Cancel all jobs that the filter names, in short steps; those that have ended stay."""
    return _change(site, site.client.cancel_many, request, by=request.by)


@router.post("/retry", response_model=BulkResult, responses=_RESPONSES)
@operates
def retry_jobs(site: OfSite, request: BulkRequest) -> Any:
    """Make all failed, dead or cancelled jobs that the filter names ready now, in steps."""
    return _change(site, site.client.retry_many, request)


@router.post("/delete", response_model=BulkResult, responses=_RESPONSES)
@operates
def delete_jobs(site: OfSite, request: BulkRequest) -> Any:
    """Delete all jobs that the filter names and that do not run, in steps."""
    return _change(site, site.client.delete_many, request)


class _Ending(Exception):
    """The service ends in the middle of it."""


def _change(
    site: Site, verb: Callable[..., Bulk], request: BulkRequest, **options: Any
) -> dict[str, Any]:
    filters = {name: value for name, value in said(request.where).items() if value is not None}
    if not filters:
        raise BadOption("say which jobs: a state, a queue, a kind, …")
    done = Bulk()

    def note(sums: Bulk) -> None:
        nonlocal done
        done = sums
        if site.ending.is_set():  # what is done is done; who asked may ask again
            raise _Ending

    with suppress(_Ending):
        verb(limit=request.limit, dry_run=request.dry_run, progress=note, **filters, **options)
    return {"matched": done.matched, "changed": done.changed, "dry_run": request.dry_run}
