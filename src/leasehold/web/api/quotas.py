"""Quotas of tenants: what they may have, and how far they have used it up."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from leasehold.errors import BadOption
from leasehold.model.quotas import GREATEST_QUOTA
from leasehold.web.access.rights import ApiRouter, administers_all
from leasehold.web.api.queues import Changed
from leasehold.web.api.values import By, Command, Document, NamePath, Whole
from leasehold.web.described import problems
from leasehold.web.site import OfSite

router = ApiRouter(prefix="/api/quotas", tags=["quotas"])

Count = Annotated[Whole, Field(ge=0, le=GREATEST_QUOTA)]
_RATE_PATTERN = r"^[0-9]{1,9}(\.[0-9]{1,6})?/[0-9a-z.]{1,20}$"


class Quota(Document):
    """A tenant's quotas, and how far they are used up."""

    tenant: str
    waiting_limit: int | None = Field(description="Jobs that have not ended and do not run.")
    running_limit: int | None = Field(description="At once, in all workers.")
    rate: float | None = Field(description="Enqueues, a second.")
    burst: float | None = Field(description="Enqueues at once, after a rest.")
    waiting: int
    running: int
    tokens: float | None = Field(description="Left of the burst now.")
    set_by: str | None


class QuotaRequest(Command):
    """What is to change: what is left out stays, null takes a quota away."""

    waiting: Count | None = None
    running: Count | None = None
    rate: Annotated[str, Field(pattern=_RATE_PATTERN)] | None = Field(
        default=None, description="So many in a time: `100/minute`, `5000/1h`."
    )
    by: By = None


@router.get("", response_model=list[Quota], responses=problems())
@administers_all
def list_quotas(site: OfSite) -> Any:
    """List the tenants that have quotas."""
    return site.client.quotas.list()


@router.patch("/{name:any}", status_code=204, responses=problems(BadOption))
@administers_all
def set_quotas(site: OfSite, name: NamePath, request: QuotaRequest) -> None:
    """Change quotas of a tenant; those that are not named stay."""
    named = request.model_fields_set - {"by"}
    change = {limit: getattr(request, limit) for limit in named}
    site.client.quotas.set(name, **change, by=request.by)


@router.delete("/{name:any}", response_model=Changed, responses=problems(BadOption))
@administers_all
def remove_quotas(site: OfSite, name: NamePath) -> Any:
    """Take all quotas of a tenant away."""
    return {"is_changed": site.client.quotas.remove(name)}
