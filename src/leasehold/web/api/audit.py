"""The audit record: what people did."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from leasehold.errors import BadOption
from leasehold.web.access.rights import ApiRouter, administers
from leasehold.web.api.values import (
    DEFAULT_PAGE,
    Document,
    Json,
    LimitQuery,
    MomentQuery,
    NameQuery,
    Tenant,
)
from leasehold.web.described import problems
from leasehold.web.site import OfSite

router = ApiRouter(prefix="/api/audit", tags=["access"])


class AuditRow(Document):
    """Something that somebody did."""

    id: int
    at: datetime
    actor: str = Field(description="Who; empty: nobody was asked.")
    via: str = Field(description="`api`, `dashboard`, `cli` or `code`.", examples=["api"])
    address: str = Field(description="From where; empty: from this machine.")
    tenant: str = Field(description="Whose things it was about; empty: nobody's, or many.")
    action: str = Field(examples=["queue.pause"])
    subject: str = Field(description="What it was done to.")
    count: int = Field(description="How many were changed.")
    detail: Json


class AuditPage(Document):
    """Rows, the newest first. `next` is the `before` of the next page; null on the last one."""

    rows: list[AuditRow]
    next: int | None


@router.get("", response_model=AuditPage, responses=problems(BadOption))
@administers
def list_audit(
    site: OfSite,
    *,
    tenant: Annotated[Tenant | None, Query()] = None,
    actor: NameQuery = None,
    action: NameQuery = None,
    since: MomentQuery = None,
    before: Annotated[int | None, Query(ge=0, le=2**63 - 1)] = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> Any:
    """List what people did, the newest first, a page at a time."""
    found = site.client.audit.list(
        tenant=tenant, actor=actor, action=action, since=since, before=before, limit=limit
    )
    return {"rows": found, "next": found[-1].id if len(found) == limit else None}
