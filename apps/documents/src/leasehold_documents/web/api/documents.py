"""Documents: hand one in, list them, read what is in one, fetch its file, forget it."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from leasehold.kit.web import Document, a_text
from leasehold_documents import papers
from leasehold_documents.access import Access
from leasehold_documents.data import browsing
from leasehold_documents.errors import NotFound
from leasehold_documents.web.api.values import (
    DEFAULT_PAGE,
    LIVE,
    CursorQuery,
    DocumentPath,
    LimitQuery,
    Paper,
    PaperPage,
    TypeName,
    events,
    paper_of,
)
from leasehold_documents.web.hub import OfHub
from leasehold_documents.web.looking import follow
from leasehold_documents.web.people import Changer, Reader
from leasehold_documents.web.problems import PROBLEMS
from leasehold_documents.web.uploads import take

router = APIRouter(prefix="/api/documents", tags=["documents"])
_FILE: dict[str, Any] = {"type": "string", "format": "binary"}
_FORM = {"type": "object", "required": ["file"], "properties": {"file": _FILE}}
_BODY = {
    "requestBody": {
        "required": True,
        "description": "The file: as it is, or in a form. What it is its content says.",
        "content": {
            "application/octet-stream": {"schema": _FILE},
            "multipart/form-data": {"schema": _FORM},
        },
    }
}


class Which(BaseModel):
    """Which documents somebody wants to see; what is not said does not matter."""

    place: browsing.Place = Field(default="all", description="`inbox`: not filed yet.")
    node_id: UUID | None = None
    doc_type: TypeName | None = None
    name: Annotated[str, a_text(200)] = Field(default="", description="A part of the name.")


class Chunk(Document):
    """A piece of a document's text, of one page. `metadata.pii` names what is private in it."""

    chunk_index: int
    page_number: int | None
    element_type: str | None = Field(examples=["NarrativeText"])
    text: str
    metadata: dict[str, Any] | None


class ChunkPage(Document):
    """A document's text, in its order."""

    chunks: list[Chunk]
    next: int | None


@router.post(
    "", status_code=201, response_model=Paper, responses=PROBLEMS.responses(), openapi_extra=_BODY
)
async def upload_document(
    request: Request,
    response: Response,
    access: Changer,
    hub: OfHub,
    name: Annotated[str, Query(max_length=1_000, description="The file's name.")] = "",
) -> dict[str, Any]:
    """Hand a file in. It is kept, and not read before somebody has consented to the price."""
    document_id = await take(request, hub, access, name)
    response.headers["Location"] = (
        f"{request.scope.get('root_path', '')}/api/documents/{document_id}"
    )
    return await run_in_threadpool(find_paper, access, document_id)


@router.get("", response_model=PaperPage, responses=PROBLEMS.responses())
def list_documents(
    access: Reader,
    which: Annotated[Which, Query()],
    before: CursorQuery = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> dict[str, Any]:
    """List documents, newest first."""
    wanted = browsing.Wanted(which.place, which.node_id, which.doc_type, which.name)
    with access.read() as connection:
        page = browsing.papers(connection, access.tenant_id, wanted, before=before, limit=limit)
    return {"documents": [paper_of(each) for each in page.rows], "next": page.next}


@router.get("/{document_id}", response_model=Paper, responses=PROBLEMS.responses(404))
def get_document(document_id: DocumentPath, access: Reader) -> dict[str, Any]:
    """Say what is known of a document."""
    return find_paper(access, document_id)


@router.delete("/{document_id}", status_code=204, responses=PROBLEMS.responses(404))
def delete_document(document_id: DocumentPath, access: Changer) -> None:
    """Forget a document with all that was made of it; what waits is cancelled, and refunded."""
    papers.delete(access, document_id)


@router.get("/{document_id}/chunks", response_model=ChunkPage, responses=PROBLEMS.responses(404))
def list_chunks(
    document_id: DocumentPath,
    access: Reader,
    after: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> dict[str, Any]:
    """Read the text that the current extraction has found."""
    found = find_paper(access, document_id)
    with access.read() as connection:
        page = browsing.chunks_of(
            connection,
            access.tenant_id,
            found["current_extraction_id"],
            after=after,
            limit=limit,
        )
    return {"chunks": page.rows, "next": page.next}


@router.get(
    "/{document_id}/events",
    response_class=Response,
    responses={
        **PROBLEMS.responses(404),
        **events("`progress` with the document after each change; `end` when none is to come."),
    },
)
async def follow_document(
    request: Request, document_id: DocumentPath, access: Reader, hub: OfHub
) -> Response:
    """Follow a document as server-sent events: its extraction, and what it is thought to be."""
    await run_in_threadpool(find_paper, access, document_id)

    def look(connection: Any) -> tuple[Any, bool]:
        found = browsing.paper(connection, access.tenant_id, document_id)
        if found is None:
            return None, True
        count_pages(access, found)
        shown = Paper.model_validate(paper_of(found)).model_dump(mode="json")
        return shown, not is_moving(found)

    return follow(request, hub, access, (f"document {document_id}", "progress"), look)


def is_moving(paper: dict[str, Any]) -> bool:
    """Whether something of a document is still to come: being read, or then being classified."""
    last = paper["extraction"]
    if last is None:
        return False
    thought = paper["suggestion"]
    is_unclassified = thought is None or thought["extraction_id"] != last["id"]
    return last["status"] in LIVE or (last["status"] == "done" and is_unclassified)


def find_paper(access: Access, document_id: UUID) -> dict[str, Any]:
    with access.read() as connection:
        found = browsing.paper(connection, access.tenant_id, document_id)
    if found is None:
        raise NotFound("document", document_id)
    count_pages(access, found)
    return paper_of(found)


def count_pages(access: Access, paper: dict[str, Any]) -> None:
    """Say how far a reading is that is under way."""
    last = paper["extraction"]
    if last is not None:
        is_running = last["status"] == "running"
        saved = access.client.checkpoint(last["job_id"]) if is_running else None
        last["pages_read"] = None if saved is None or saved.done is None else int(saved.done)
