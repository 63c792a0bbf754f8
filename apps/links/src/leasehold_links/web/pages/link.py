"""A link: all that is known of it, one's own words, its attempts, and why it is where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Form, Response

import leasehold as lh
from leasehold.kit.web import Changer
from leasehold_links import curating, editing
from leasehold_links.data import browsing
from leasehold_links.web.api.links import whole_link
from leasehold_links.web.api.values import IdPath
from leasehold_links.web.pages.library import folder_name, read_id
from leasehold_links.web.pages.visiting import PAGES, OfVisit

if TYPE_CHECKING:
    from uuid import UUID

router = APIRouter(include_in_schema=False)


@router.get("/link/{link_id}")
def show_link(link_id: IdPath, visit: OfVisit) -> Response:
    """Show all that is known of a link."""
    whole = whole_link(visit.library, visit.person, link_id)
    folders = visit.library.read(browsing.folders_of, visit.person.user_id)
    places = [
        {"link_id": each["link_id"], "id": each["id"], "name": folder_name(visit.say, each)}
        for each in whole["places"]
    ]
    history, why = _work(visit.library.client, whole["job_id"])
    return PAGES.render(
        visit,
        "link.html",
        of=whole,
        places_of=places,
        folders=[(each["id"], folder_name(visit.say, each)) for each in folders],
        history=history,
        why=why,
    )


def _work(client: lh.Client, job_id: UUID | None) -> tuple[list[lh.Attempt], lh.Why | None]:
    """Read what its enrichment has tried, and what it waits for; nothing once that is pruned."""
    if job_id is None:
        return [], None
    try:
        return client.history(job_id), client.why(job_id)
    except lh.JobNotFound:
        return [], None


@router.post("/link/{link_id}")
def edit_link(
    *,
    link_id: IdPath,
    visit: OfVisit,
    person: Changer,
    title: Annotated[str, Form(max_length=1_000)] = "",
    description: Annotated[str, Form(max_length=4_000)] = "",
    tags: Annotated[str, Form(max_length=10_000)] = "",
    folder: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    """Keep a person's own words, or move the link."""
    changes: dict[str, Any] = {"title": title, "description": description, "tags": [tags]}
    if (folder_id := read_id(folder)) is not None:
        changes["folder_id"] = folder_id
    editing.edit_link(visit.library.database, person.user_id, link_id, changes)
    return visit.go(f"/link/{link_id}", "saved")


@router.post("/link/{link_id}/refresh")
def refresh_link(link_id: IdPath, visit: OfVisit, person: Changer) -> Response:
    """Fetch a link anew."""
    library = visit.library
    curating.refresh(library.client, library.database, person.user_id, link_id)
    return visit.go(f"/link/{link_id}", "refreshed")


@router.post("/link/{link_id}/delete")
def delete_link(link_id: IdPath, visit: OfVisit, person: Changer) -> Response:
    """Take a link out of its folder."""
    editing.delete_link(visit.library.database, person.user_id, link_id)
    return visit.go("/", "deleted")
