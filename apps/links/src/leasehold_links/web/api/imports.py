"""Imports: hand a bookmark file in, and follow what becomes of it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import UUID

import msgspec
from fastapi import APIRouter, Query, Request, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from leasehold.kit.web import Changer, Document, EventStream, Reader, Seen, not_found
from leasehold.kit.web.uploads import receive
from leasehold_links.data import progress
from leasehold_links.uploading import Upload, cancel_import
from leasehold_links.web.api.values import DEFAULT_PAGE, CursorQuery, IdPath, LimitQuery
from leasehold_links.web.library import Library, OfLibrary
from leasehold_links.web.problems import PROBLEMS

if TYPE_CHECKING:
    from leasehold.kit.web import Person

router = APIRouter(prefix="/api/imports", tags=["imports"])
Status = Literal["queued", "running", "succeeded", "failed", "canceled"]
ENDED = frozenset({"succeeded", "failed", "canceled"})
_FILE: dict[str, Any] = {"type": "string", "format": "binary"}
_FORM = {"type": "object", "required": ["file"], "properties": {"file": _FILE}}
_BODY = {
    "requestBody": {
        "required": True,
        "description": "The bookmark file that a browser has exported: as it is, or in a form.",
        "content": {
            "text/html": {"schema": _FILE},
            "application/octet-stream": {"schema": _FILE},
            "multipart/form-data": {"schema": _FORM},
        },
    }
}
_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "`progress` with the import after each change; `end` at last.",
        "content": {"text/event-stream": {}},
    }
}


class Import(Document):
    """A file on its way into the library. processed = imported + duplicate + skipped + failed."""

    id: UUID
    source_type: str = Field(examples=["chrome_html"])
    file_name: str = Field(examples=["bookmarks.html"])
    file_bytes: int
    status: Status
    total_items: int = Field(description="0 until they are counted.")
    processed_items: int
    imported_items: int
    duplicate_items: int
    skipped_items: int
    failed_items: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    last_error: str | None


class ImportPage(Document):
    """Imports, newest first."""

    imports: list[Import]
    next: UUID | None


class ImportItem(Document):
    """A line that did not become a link, and why."""

    number: int = Field(description="Which entry of the file, from 0.")
    outcome: str = Field(examples=["skipped"])
    reason: str = Field(examples=["scheme:javascript"])
    url: str
    title: str


class ImportItemPage(Document):
    """Lines that did not become links, in the order of the file."""

    items: list[ImportItem]
    next: int | None


@router.post(
    "", status_code=202, response_model=Import, responses=PROBLEMS.responses(), openapi_extra=_BODY
)
async def create_import(
    request: Request,
    response: Response,
    person: Changer,
    library: OfLibrary,
    name: Annotated[str, Query(max_length=200, description="The file's name.")] = "",
) -> dict[str, Any]:
    """Hand in a bookmark file. It is imported by a worker; follow it at `events`."""
    import_id = await take_file(request, library, person, name)
    response.headers["Location"] = f"{request.scope.get('root_path', '')}/api/imports/{import_id}"
    return await run_in_threadpool(find_import, library, person, import_id)


async def take_file(request: Request, library: Library, person: Person, name: str = "") -> UUID:
    """Store a request's file and enqueue its import."""
    with Upload(library.settings.file_bytes) as upload:
        named = await receive(request, upload.add)
        return await run_in_threadpool(
            upload.start, library.client, library.database, person.user_id, name or named
        )


@router.get("", responses=PROBLEMS.responses())
def list_imports(
    person: Reader,
    library: OfLibrary,
    before: CursorQuery = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> ImportPage:
    """List your imports, newest first."""
    page = library.read(progress.imports_of, person.user_id, before=before, limit=limit)
    return ImportPage.model_validate({"imports": page.rows, "next": page.next})


@router.get("/{import_id}", response_model=Import, responses=PROBLEMS.responses(404))
def get_import(import_id: IdPath, person: Reader, library: OfLibrary) -> dict[str, Any]:
    """Say how an import stands."""
    return find_import(library, person, import_id)


@router.get("/{import_id}/items", responses=PROBLEMS.responses(404))
def list_import_items(
    import_id: IdPath,
    person: Reader,
    library: OfLibrary,
    after: Annotated[
        int | None, Query(ge=0, le=2**31 - 1, description="Go on after this number.")
    ] = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> ImportItemPage:
    """List the lines that did not become links, each with its reason."""
    find_import(library, person, import_id)
    rows, following = library.read(progress.items_of, import_id, after=after, limit=limit)
    return ImportItemPage.model_validate({"items": rows, "next": following})


@router.get(
    "/{import_id}/events", response_class=Response, responses={**PROBLEMS.responses(404), **_EVENTS}
)
async def follow_import(import_id: IdPath, person: Reader, library: OfLibrary) -> Response:
    """Follow an import as server-sent events, until it has ended."""
    await run_in_threadpool(find_import, library, person, import_id)

    def look() -> Seen:
        row = library.read(progress.import_of, person.user_id, import_id)
        if row is None:
            return Seen(b"null", is_last=True)
        document = Import.model_validate(row).model_dump(mode="json")
        return Seen(msgspec.json.encode(document), is_last=row["status"] in ENDED)

    ear = library.following.follow(f"import {person.user_id} {import_id}", look)
    return EventStream(ear, "progress")


@router.post("/{import_id}/cancel", response_model=Import, responses=PROBLEMS.responses(404))
def cancel(import_id: IdPath, person: Changer, library: OfLibrary) -> dict[str, Any]:
    """Stop an import; what is in stays. It is `running` until its worker has heard of it."""
    cancel_import(library.client, library.database, person.user_id, import_id)
    return find_import(library, person, import_id)


def find_import(library: Library, person: Person, import_id: UUID) -> dict[str, Any]:
    row = library.read(progress.import_of, person.user_id, import_id)
    if row is None:
        raise not_found("import")
    return row
