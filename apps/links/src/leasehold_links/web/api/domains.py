"""Domains: which may not want us, with what made us think so; a person decides."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import Field

from leasehold.kit.web import Document
from leasehold_links import curating
from leasehold_links.web.api.enrichment import Requeued
from leasehold_links.web.api.values import DEFAULT_PAGE, DomainName, DomainPath, LimitQuery
from leasehold_links.web.library import OfLibrary
from leasehold_links.web.people import Decider, Overseer
from leasehold_links.web.problems import PROBLEMS

router = APIRouter(prefix="/api/domains", tags=["domains"])
DomainState = Literal["candidate", "blocked", "allowed"]


class Evidence(Document):
    """An answer that made us ask. The address of a private link is not told."""

    reason: str = Field(examples=["robots"])
    status: int | None
    seen_at: datetime
    url: str | None


class Domain(Document):
    """What is known of a domain, and what was decided."""

    domain: str
    state: DomainState
    decided_by: str | None
    decided_at: datetime | None
    created_at: datetime
    evidence_count: int
    evidence: list[Evidence]


class DomainList(Document):
    """Domains by name."""

    domains: list[Domain]
    next: str | None


class Decision(Document):
    """A decision. Of everybody's dead letters so many could be tried again now."""

    domain: str
    state: DomainState
    requeueable: int


@router.get("", responses=PROBLEMS.responses())
def list_domains(
    _person: Overseer,
    library: OfLibrary,
    state: Annotated[DomainState | None, Query()] = None,
    after: Annotated[DomainName | None, Query(description="Go on after this name.")] = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> DomainList:
    """List domains with what counts against them. They are everybody's."""
    found = curating.list_domains(library.database, state, after=after, limit=limit + 1)
    following = found[limit - 1].domain if len(found) > limit else None
    page = {"domains": found[:limit], "next": following}
    return DomainList.model_validate(page, from_attributes=True)


@router.post("/{domain}/block", response_model=Decision, responses=PROBLEMS.responses())
def block_domain(domain: DomainPath, person: Decider, library: OfLibrary) -> curating.Decision:
    """Fetch nothing of this domain any more."""
    return curating.block(library.database, domain, by=person.user_id)


@router.post("/{domain}/allow", response_model=Decision, responses=PROBLEMS.responses())
def allow_domain(domain: DomainPath, person: Decider, library: OfLibrary) -> curating.Decision:
    """Lift a block, or say that a candidate is none; then `requeue` tries its links again."""
    return curating.allow(library.database, domain, by=person.user_id)


@router.post("/{domain}/requeue", response_model=Requeued, responses=PROBLEMS.responses())
def requeue_domain(domain: DomainPath, _person: Decider, library: OfLibrary) -> curating.Requeued:
    """Try everybody's links again that died of what `allow` has lifted."""
    return curating.requeue_lifted(library.client, library.database, domain)
