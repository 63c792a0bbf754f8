"""Links: search, read, add, edit, delete, refresh."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

import msgspec
from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from leasehold.kit.data import Page
from leasehold.kit.web import (
    Changer,
    Command,
    Document,
    EventStream,
    IdText,
    Reader,
    Seen,
    not_found,
)
from leasehold_links import curating, editing
from leasehold_links.data import browsing
from leasehold_links.data.browsing import Wanted
from leasehold_links.web.api.folders import Place
from leasehold_links.web.api.values import (
    DEFAULT_PAGE,
    Address,
    CursorQuery,
    Description,
    DomainName,
    IdPath,
    LimitQuery,
    Tag,
    Tags,
    Title,
    said,
)
from leasehold_links.web.library import Library, OfLibrary
from leasehold_links.web.problems import PROBLEMS
from leasehold_links.web.showing import show_link

if TYPE_CHECKING:
    from leasehold.kit.web import Person

router = APIRouter(prefix="/api/links", tags=["links"])
_MOST_FOLLOWED = 200
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "`states` after each change; `end` when all have ended.",
        "content": {"text/event-stream": {}},
    }
}
LIVE = frozenset({"queued", "running", "failed"})


class Enrichment(Document):
    """How it stands with what a link says of itself."""

    status: Literal["queued", "running", "succeeded", "failed", "dead"] | None
    reason: str | None = Field(description="Why there is no more.", examples=["not_found"])
    http_status: int | None
    attempts: int
    max_attempts: int
    run_after: datetime | None
    fetched_at: datetime | None
    job_id: UUID | None


class Link(Document):
    """A link in a folder. Title and description are your own, else what the page says."""

    id: UUID
    url: str
    title: str
    description: str
    own_title: str
    own_description: str
    page_title: str | None
    page_description: str | None
    image: str | None = Field(description="An address; nothing of it is kept here.")
    favicon: str | None
    site_name: str | None
    domain: str
    folder_id: UUID
    tags: list[str]
    added_at: datetime | None
    created_at: datetime
    enrichment: Enrichment


class WholeLink(Link):
    """All that is known of a link."""

    language: str | None
    content_type: str | None
    final_url: str | None
    places: list[Place] = Field(description="The folders in which you have it.")


class LinkPage(Document):
    """Links."""

    links: list[Link]
    next: UUID | None


class LinkRequest(Command):
    """A link to put into a folder."""

    url: Address = Field(examples=["https://example.com/a"])
    title: Title = ""
    description: Description = ""
    tags: Tags = Field(default_factory=list)
    folder_id: IdText | None = Field(default=None, description="Left out: the menu itself.")


class LinkChange(Command):
    """What to change; what is left out stays. An empty title lets the page's own be seen."""

    title: Title = ""
    description: Description = ""
    tags: Tags = Field(default_factory=list)
    folder_id: IdText = Field(default=UUID(int=0), description="Moves it.")


class Refreshed(Document):
    """The enrichment that stands; not a new one if one was waiting or running already."""

    job_id: UUID
    is_new: bool


@router.get("", responses=PROBLEMS.responses(404))
def list_links(
    *,
    person: Reader,
    library: OfLibrary,
    q: Annotated[str, Query(max_length=200, description="Words that all have to be there.")] = "",
    folder_id: Annotated[UUID | None, Query()] = None,
    tag: Annotated[Tag | None, Query()] = None,
    domain: Annotated[DomainName | None, Query()] = None,
    order: Annotated[Literal["newest", "oldest"], Query()] = "newest",
    after: CursorQuery = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> LinkPage:
    """List or search your links."""
    wanted = Wanted(folder_id=folder_id, words=words_of(q), tag=tag, domain=domain)
    page, links = read_links(library, person, wanted, after, limit, is_newest=order == "newest")
    return LinkPage.model_validate({"links": links, "next": page.next})


_THERE: dict[int | str, dict[str, Any]] = {
    200: {"description": "It stands in the folder already.", "model": WholeLink}
}


@router.post(
    "", status_code=201, response_model=WholeLink, responses={**PROBLEMS.responses(404), **_THERE}
)
def create_link(
    asked: LinkRequest, request: Request, response: Response, person: Changer, library: OfLibrary
) -> dict[str, Any]:
    """Put a link in. One that stands in the folder already is answered as it is, with 200."""
    new = editing.NewLink(**(asked.model_dump() | {"tags": tuple(asked.tags)}))
    added = editing.add_link(library.client, library.database, person.user_id, new)
    response.status_code = 201 if added.is_new else 200
    response.headers["Location"] = f"{request.scope.get('root_path', '')}/api/links/{added.link_id}"
    return whole_link(library, person, added.link_id)


@router.get("/events", response_class=Response, responses={**PROBLEMS.responses(), **_EVENTS})
async def follow_links(
    person: Reader,
    library: OfLibrary,
    id: Annotated[list[UUID], Query(max_length=_MOST_FOLLOWED)],  # noqa: A002 - a query's name
) -> Response:
    """Follow the enrichment of these links of yours, until all have ended."""

    def look() -> Seen:
        states = library.read(browsing.states_of_links, person.user_id, id)
        is_last = not any(each["status"] in LIVE for each in states.values())
        shown = {str(link_id): [row["status"], row["reason"]] for link_id, row in states.items()}
        return Seen(msgspec.json.encode(shown), is_last)

    name = f"links {person.user_id} {sorted(set(id))}"
    return EventStream(library.following.follow(name, look), "states")


@router.get("/{link_id:uuid}", response_model=WholeLink, responses=PROBLEMS.responses(404))
def get_link(link_id: IdPath, person: Reader, library: OfLibrary) -> dict[str, Any]:
    """Say all that is known of a link."""
    return whole_link(library, person, link_id)


@router.patch("/{link_id:uuid}", response_model=WholeLink, responses=PROBLEMS.responses(404, 409))
def edit_link(
    link_id: IdPath, asked: LinkChange, person: Changer, library: OfLibrary
) -> dict[str, Any]:
    """Change a link's own title, description or tags, or move it."""
    editing.edit_link(library.database, person.user_id, link_id, said(asked))
    return whole_link(library, person, link_id)


@router.delete("/{link_id:uuid}", status_code=204, responses=PROBLEMS.responses(404))
def delete_link(link_id: IdPath, person: Changer, library: OfLibrary) -> None:
    """Take a link out of its folder."""
    editing.delete_link(library.database, person.user_id, link_id)


@router.post(
    "/{link_id:uuid}/refresh",
    status_code=202,
    response_model=Refreshed,
    responses=PROBLEMS.responses(404),
)
def refresh_link(link_id: IdPath, person: Changer, library: OfLibrary) -> curating.Refreshed:
    """Fetch a link anew, whatever became of it before."""
    return curating.refresh(library.client, library.database, person.user_id, link_id)


def words_of(text: str) -> tuple[str, ...]:
    """Split a search into its words."""
    return tuple(dict.fromkeys(text.replace("\x00", " ").split()))


def read_links(
    library: Library,
    person: Person,
    wanted: Wanted,
    after: UUID | None,
    limit: int,
    *,
    is_newest: bool,
) -> tuple[Page, list[dict[str, Any]]]:
    """Read a page of links with their enrichment; the folder has to be one's own."""
    with library.database.browse() as connection:
        folder_id = wanted.folder_id
        if folder_id and browsing.folder_of(connection, person.user_id, folder_id) is None:
            raise not_found("folder")
        page = browsing.links_of(
            connection, person.user_id, wanted, after=after, limit=limit, is_newest_first=is_newest
        )
        states = browsing.states_of(connection, (row["canonical_id"] for row in page.rows))
    return page, [show_link(row, states.get(row["canonical_id"])) for row in page.rows]


def whole_link(library: Library, person: Person, link_id: UUID) -> dict[str, Any]:
    """Read all that is known of a link."""
    with library.database.browse() as connection:
        row = browsing.link_of(connection, person.user_id, link_id)
        if row is None:
            raise not_found("link")
        states = browsing.states_of(connection, [row["canonical_id"]])
        places = browsing.places_of(connection, person.user_id, row["canonical_id"])
    shown = show_link(row, states.get(row["canonical_id"]))
    known = {name: row[name] for name in ("language", "content_type", "final_url")}
    named = [{**place, "link_id": place["id"], "id": place["folder_id"]} for place in places]
    return shown | known | {"places": named}
