"""Throttles and shares: what limits jobs, and whose turns count more."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from leasehold.control import GREATEST_WEIGHT
from leasehold.errors import BadOption, ForeignTenant, NotForTenants
from leasehold.web.access.rights import ApiRouter, operates, operates_all, reads, reads_all
from leasehold.web.api.queues import Changed, Pausing, read_until
from leasehold.web.api.values import (
    By,
    Command,
    Document,
    Duration,
    NamePath,
    Whole,
    said,
)
from leasehold.web.described import problems
from leasehold.web.site import OfSite

router = ApiRouter(prefix="/api/throttles", tags=["throttles"])
shares_router = ApiRouter(prefix="/api/shares", tags=["throttles"])

_MOST = 2_147_483_647
_RESPONSES = problems(BadOption, NotForTenants, ForeignTenant)
_OF_TENANTS = problems(ForeignTenant)
_OF_SHARES = problems(BadOption)
Whose = Annotated[
    str | None, Query(max_length=200, description="Whose own; of throttles like `@domain`.")
]
Count = Annotated[Whole, Field(ge=0, le=_MOST)]
Positive = Annotated[float, Field(strict=True, gt=0, le=1e12, allow_inf_nan=False)]


class Throttle(Document):
    """A rule, like `domain`, or one key of it, like `domain:example.org`.

    One that each tenant has for itself begins with `@`.
    """

    name: str
    running_limit: int | None
    per_worker: int | None
    rate: float | None = Field(description="Per second.")
    burst: float | None
    tokens: float | None = Field(description="Left of the burst now.")
    paused_until: datetime | None
    pause_reason: str | None
    paused_by: str | None
    set_by: str | None = Field(description="Who set it at run time; null: as code declares it.")
    running: int
    waiting: int
    tenant: str | None = Field(description="Whose own it is; null: a rule, or one for all tenants.")
    tenant_limit: int | None = Field(description="How many at once the tenant itself wants.")


class ThrottleRequest(Command):
    """The limits to change: what is left out stays, null takes a limit away."""

    running: Count | None = Field(default=None, description="How many at once, over all workers.")
    per_worker: Count | None = Field(default=None, description="How many at once in each worker.")
    rate: Positive | None = Field(default=None, description="What may be spent `per` that time.")
    per: Duration = 1.0
    burst: Positive | None = Field(default=None, description="What may be spent at once.")
    by: By = None


class Share(Document):
    """A share whose weight somebody set, or that has jobs waiting."""

    name: str
    weight: int
    waiting: int
    set_by: str | None


class ShareRequest(Command):
    """How many jobs it starts for each one of another share; 1 is usual."""

    weight: Annotated[Whole, Field(ge=1, le=GREATEST_WEIGHT)]
    by: By = None


@router.get("", response_model=list[Throttle], responses=_OF_TENANTS)
@reads
def list_throttles(site: OfSite, tenant: Whose = None) -> Any:
    """List the rules, and the keys that have limits of their own or a pause.

    Of a tenant, and to who is bound to one: what it has for itself.
    """
    return site.client.throttles.list(tenant=tenant)


@router.patch("/{name:bare}", status_code=204, responses=_RESPONSES)
@operates
def set_throttle(
    site: OfSite, name: NamePath, request: ThrottleRequest, tenant: Whose = None
) -> None:
    """Change limits, from the next claim on. What code declares does not undo it; reset does.

    Who is bound to a tenant can lower what runs at once of its own, and nothing else.
    """
    site.client.throttles.set(name, tenant=tenant, **said(request))


@router.post("/{name:any}/reset", response_model=Changed, responses=_RESPONSES)
@operates
def reset_throttle(site: OfSite, name: NamePath, tenant: Whose = None) -> Any:
    """Let a key have its rule's limits again, a rule those of the next worker's code."""
    return {"is_changed": site.client.throttles.reset(name, tenant=tenant)}


@router.post("/{name:any}/pause", status_code=204, responses=_RESPONSES)
@operates
def pause_throttle(site: OfSite, name: NamePath, request: Pausing, tenant: Whose = None) -> None:
    """Start none of its jobs until then, or until it is resumed."""
    until = read_until(request)
    site.client.throttles.pause(
        name, until=until, reason=request.reason, tenant=tenant, by=request.by
    )


@router.post("/{name:any}/resume", response_model=Changed, responses=_RESPONSES)
@operates
def resume_throttle(site: OfSite, name: NamePath, tenant: Whose = None) -> Any:
    """End a pause."""
    return {"is_changed": site.client.throttles.resume(name, tenant=tenant)}


@router.post("/{name:any}/refill", response_model=Changed, responses=_RESPONSES)
@operates_all
def refill_throttle(site: OfSite, name: NamePath, tenant: Whose = None) -> Any:
    """Forget what a key has used up of its rate."""
    return {"is_changed": site.client.throttles.refill(name, tenant=tenant)}


@shares_router.get("", response_model=list[Share], responses=problems())
@reads_all
def list_shares(site: OfSite) -> Any:
    """List the shares that have a weight or jobs waiting."""
    return site.client.shares.list()


@shares_router.put("/{name:bare}", status_code=204, responses=_OF_SHARES)
@operates_all
def set_share(site: OfSite, name: NamePath, request: ShareRequest) -> None:
    """Let a share start so many jobs for each one of another share."""
    site.client.shares.set(name, weight=request.weight, by=request.by)
