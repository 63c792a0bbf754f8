"""Domains that may not want us, with what made us think so; a person blocks or allows them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Response

from leasehold_links import curating
from leasehold_links.data.domains import STATES
from leasehold_links.web.pages.visiting import PAGES, OfVisit
from leasehold_links.web.people import Decider, Overseer

router = APIRouter(include_in_schema=False)
ROWS = 50
Name = Annotated[str, Form(min_length=1, max_length=300)]


@router.get("/domains")
def show_domains(
    visit: OfVisit,
    _person: Overseer,
    state: Annotated[str, Query(max_length=20)] = "",
    after: Annotated[str | None, Query(max_length=300)] = None,
    lifted: Annotated[str, Query(max_length=300)] = "",
) -> Response:
    """Show domains; after a block was lifted, offer to try its links again."""
    shown = state if state in STATES else None
    found = curating.list_domains(visit.library.database, shown, after=after, limit=ROWS + 1)
    more = found[ROWS - 1].domain if len(found) > ROWS else None
    return PAGES.render(
        visit,
        "domains.html",
        domains=found[:ROWS],
        states=STATES,
        state=shown,
        lifted=lifted,
        next=more and visit.link("/domains", state=shown, after=more),
    )


@router.post("/domains/block")
def block(visit: OfVisit, person: Decider, domain: Name) -> Response:
    """Fetch nothing of a domain any more."""
    curating.block(visit.library.database, domain, by=person.user_id)
    return visit.go("/domains", "blocked")


@router.post("/domains/allow")
def allow(visit: OfVisit, person: Decider, domain: Name) -> Response:
    """Lift a block, or say that a candidate is none; offers what could be tried again."""
    done = curating.allow(visit.library.database, domain, by=person.user_id)
    if not done.requeueable:
        return visit.go("/domains", "allowed")
    return visit.go("/domains", "lifted", count=done.requeueable, lifted=done.domain)


@router.post("/domains/requeue")
def requeue(visit: OfVisit, _person: Decider, domain: Name) -> Response:
    """Try everybody's links of a domain again."""
    library = visit.library
    done = curating.requeue_lifted(library.client, library.database, domain)
    return visit.go("/domains", "requeued", count=done.requeued)
