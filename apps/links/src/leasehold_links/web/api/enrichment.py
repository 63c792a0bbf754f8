"""Enrichment: how many stand how, and the dead letters, to be tried again."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from leasehold.kit.web import Changer, Command, Document, Reader
from leasehold_links import curating
from leasehold_links.data.enrichments import Wanted
from leasehold_links.web.api.values import DEFAULT_PAGE, CursorQuery, DomainName, LimitQuery, Tag
from leasehold_links.web.library import OfLibrary
from leasehold_links.web.problems import PROBLEMS

router = APIRouter(prefix="/api/enrichment", tags=["enrichment"])


class Failing(Document):
    """A domain, and how many of your links of it could not be enriched."""

    domain: str
    count: int


class Stats(Document):
    """Your links by the state of their enrichment, and the domains with the most failures."""

    by_status: dict[str, int] = Field(examples=[{"queued": 3, "succeeded": 97}])
    success_count: int
    fail_count: int
    top_failure_domains: list[Failing]


class DeadGroup(Document):
    """So many dead letters of one domain have one reason."""

    domain: str
    reason: str
    count: int


class DeadLetter(Document):
    """A link of yours that has no more than its address, and will not without your word."""

    canonical_id: UUID
    link_id: UUID | None
    job_id: UUID
    url: str
    domain: str
    reason: str
    status: int | None = Field(description="Of the last answer.")
    attempts: int


class DeadLetters(Document):
    """Dead letters: counted by domain and reason, and one by one."""

    groups: list[DeadGroup]
    letters: list[DeadLetter]
    next: UUID | None


class RequeueRequest(Command):
    """Which dead letters to try again; what is left out does not restrict."""

    domain: DomainName | None = None
    reason: Tag | None = Field(default=None, examples=["timeout"])


class Requeued(Document):
    """How many there were, and how many of them wait for another attempt now."""

    matched: int
    requeued: int


@router.get("/stats", responses=PROBLEMS.responses())
def get_stats(person: Reader, library: OfLibrary) -> Stats:
    """Count your links by the state of their enrichment."""
    found = curating.stats(library.database, person.user_id)
    return Stats(
        by_status=found.by_status,
        success_count=found.success_count,
        fail_count=found.fail_count,
        top_failure_domains=[
            Failing(domain=domain, count=count) for domain, count in found.top_failure_domains
        ],
    )


@router.get("/dead", responses=PROBLEMS.responses())
def list_dead(
    *,
    person: Reader,
    library: OfLibrary,
    domain: Annotated[DomainName | None, Query()] = None,
    reason: Annotated[Tag | None, Query()] = None,
    after: CursorQuery = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> DeadLetters:
    """List your dead letters."""
    wanted = wanted_of(person.user_id, domain, reason)
    letters = curating.list_dead(library.database, wanted, after=after, limit=limit + 1)
    groups = curating.group_dead(library.database, wanted)
    following = letters[limit - 1].canonical_id if len(letters) > limit else None
    found = {"groups": groups, "letters": letters[:limit], "next": following}
    return DeadLetters.model_validate(found, from_attributes=True)


@router.post("/requeue", response_model=Requeued, responses=PROBLEMS.responses())
def requeue(asked: RequeueRequest, person: Changer, library: OfLibrary) -> curating.Requeued:
    """Let your dead letters be tried again."""
    wanted = wanted_of(person.user_id, asked.domain, asked.reason)
    return curating.requeue(library.client, library.database, wanted)


def wanted_of(user_id: str, domain: str | None, reason: str | None) -> Wanted:
    reasons = None if reason is None else (reason,)
    return Wanted(user_id=user_id, domain=domain, reasons=reasons)
