"""The library: the tree of folders and the links as cards; and a link put in by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Query, Response

from leasehold.kit.web import Changer
from leasehold_links import arranging, editing
from leasehold_links.data import browsing
from leasehold_links.data.browsing import Wanted
from leasehold_links.web.api.links import LIVE, read_links, words_of
from leasehold_links.web.api.values import IdPath
from leasehold_links.web.pages.tree import branches
from leasehold_links.web.pages.visiting import PAGES, OfVisit, Visit

if TYPE_CHECKING:
    from leasehold_links.data.browsing import Row

router = APIRouter(include_in_schema=False)
CARDS = 48


@router.get("/")
def show_library(
    *,
    visit: OfVisit,
    q: Annotated[str, Query(max_length=200)] = "",
    folder: Annotated[UUID | None, Query()] = None,
    tag: Annotated[str | None, Query(max_length=200)] = None,
    domain: Annotated[str | None, Query(max_length=300)] = None,
    after: Annotated[UUID | None, Query()] = None,
) -> Response:
    """Show links: all, newest first; or a folder's, as they stand in it; or what a search finds."""
    wanted = Wanted(folder_id=folder, words=words_of(q), tag=tag or None, domain=domain or None)
    page, links = read_links(
        visit.library, visit.person, wanted, after, CARDS, is_newest=folder is None
    )
    folders = visit.library.read(browsing.folders_of, visit.person.user_id)
    here = next((each for each in folders if each["id"] == folder), None)
    return PAGES.render(
        visit,
        "library.html",
        links=links,
        following=[each["id"] for each in links if each["enrichment"]["status"] in LIVE],
        next=_next(visit, page.next),
        is_first=after is None,
        tree=branches(folders, folder),
        here=here,
        targets=_targets(visit, folders, here),
        wanted=wanted,
        q=q,
        total=sum(each["links"] for each in folders),
    )


def _targets(visit: Visit, folders: list[Row], here: Row | None) -> list[tuple[UUID, str]]:
    """Name the folders into which the one that is shown may be moved."""
    if here is None or not here["names"]:
        return []
    depth = len(here["names"])
    return [
        (each["id"], folder_name(visit.say, each))
        for each in folders
        if each["root"] != here["root"] or each["names"][:depth] != here["names"]
    ]


def _next(visit: Visit, after: UUID | None) -> str | None:
    if after is None:
        return None
    query: dict[str, Any] = {n: v for n, v in visit.request.query_params.items() if n in _KEPT}
    return visit.link("/", **query, after=after)


_KEPT = frozenset({"q", "folder", "tag", "domain"})


@router.post("/links")
def add_link(
    visit: OfVisit,
    person: Changer,
    url: Annotated[str, Form(max_length=10_000)],
    folder: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    """Put a link in."""
    new = editing.NewLink(url=url, folder_id=read_id(folder))
    library = visit.library
    added = editing.add_link(library.client, library.database, person.user_id, new)
    return visit.go(f"/link/{added.link_id}", "added" if added.is_new else "there")


@router.post("/folder/{folder_id}")
def move_folder(
    *,
    folder_id: IdPath,
    visit: OfVisit,
    person: Changer,
    name: Annotated[str, Form(max_length=1_000)] = "",
    parent: Annotated[str, Form(max_length=40)] = "",
) -> Response:
    """Rename a folder, or put it into another one."""
    change = arranging.Change(name=name, parent_id=read_id(parent))
    arranging.move_folder(visit.library.database, person.user_id, folder_id, change)
    return visit.go("/", "moved", folder=folder_id)


def read_id(text: str) -> UUID | None:
    """Read the id that a form has; nothing, or nothing that is one, is none."""
    try:
        return UUID(text)
    except ValueError:
        return None


def folder_name(say: Any, folder: Row) -> str:
    """Name a folder with those above it."""
    return " / ".join([say(f"root.{folder['root']}"), *folder["names"]])
