"""Dead letters, by domain and reason; to be tried again one group at a time, or all."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Query, Response

from leasehold.kit.web import Changer
from leasehold_links import curating
from leasehold_links.web.api.enrichment import wanted_of
from leasehold_links.web.pages.visiting import PAGES, OfVisit

router = APIRouter(include_in_schema=False)
ROWS = 50
MOST_GROUPS = 200


@router.get("/dead")
def show_dead(
    *,
    visit: OfVisit,
    domain: Annotated[str | None, Query(max_length=300)] = None,
    reason: Annotated[str | None, Query(max_length=100)] = None,
    after: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show how many there are of which domain and why; and one by one those of a group."""
    database, is_group = visit.library.database, bool(domain or reason)
    wanted = wanted_of(visit.person.user_id, domain or None, reason or None)
    groups = curating.group_dead(database, wanted)
    letters = curating.list_dead(database, wanted, after=after, limit=ROWS + 1) if is_group else []
    more = letters[ROWS - 1].canonical_id if len(letters) > ROWS else None
    return PAGES.render(
        visit,
        "dead.html",
        groups=groups[:MOST_GROUPS],
        total=sum(group.count for group in groups),
        letters=letters[:ROWS],
        domain=domain,
        reason=reason,
        is_group=is_group,
        next=more and visit.link("/dead", domain=domain, reason=reason, after=more),
    )


@router.post("/dead/requeue")
def requeue(
    visit: OfVisit,
    person: Changer,
    domain: Annotated[str, Form(max_length=300)] = "",
    reason: Annotated[str, Form(max_length=100)] = "",
) -> Response:
    """Let them be tried again."""
    library = visit.library
    wanted = wanted_of(person.user_id, domain or None, reason or None)
    done = curating.requeue(library.client, library.database, wanted)
    return visit.go("/dead", "requeued", count=done.requeued)
