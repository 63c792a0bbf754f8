"""Documents: hand one in, look through them, and what is not filed yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from leasehold.kit.web import a_text
from leasehold.web import Refused
from leasehold_documents.data import browsing
from leasehold_documents.errors import Rejected
from leasehold_documents.web.api.documents import find_paper
from leasehold_documents.web.api.values import paper_of
from leasehold_documents.web.pages.shell import PAGES, OfVisit, Visit, code_text
from leasehold_documents.web.people import Changer, Reader
from leasehold_documents.web.problems import PROBLEMS
from leasehold_documents.web.uploads import take

if TYPE_CHECKING:
    from leasehold_documents.access import Access

router = APIRouter(include_in_schema=False)
ROWS = 50
Name = Annotated[str, a_text(200), Query()]
Cursor = Annotated[UUID | None, Query()]
Choice = Annotated[str, Query(max_length=40)]  # of a form, in which nothing is empty text


@router.get("/papers")
def show_papers(
    visit: OfVisit, access: Reader, name: Name = "", node: Choice = "", before: Cursor = None
) -> Response:
    """Show documents, newest first, and where to hand one in."""
    wanted = browsing.Wanted(node_id=_id_of(node), name=name)
    return _papers_page(visit, access, wanted, before=before)


def _papers_page(
    visit: Visit,
    access: Access,
    wanted: browsing.Wanted,
    *,
    before: UUID | None = None,
    refusal: str = "",
    status: int = 200,
) -> Response:
    with access.read() as connection:
        page = browsing.papers(connection, access.tenant_id, wanted, before=before, limit=ROWS)
        nodes = browsing.nodes_of(connection, access.tenant_id)
    again: dict[str, Any] = {"name": wanted.name, "node": wanted.node_id}
    return PAGES.render(
        visit,
        "papers.html",
        status=status,
        papers=[paper_of(each) for each in page.rows],
        nodes=nodes,
        wanted=wanted,
        next=page.next and visit.link("/papers", **again, before=page.next),
        limit_bytes=visit.hub.settings.file_bytes,
        refusal=refusal,
    )


@router.post("/papers")
async def upload_paper(request: Request, visit: OfVisit, access: Changer) -> Response:
    """Take the file of the form; what can't be taken is said on the same page."""
    try:
        document_id = await take(request, visit.hub, access)
    except (Rejected, Refused) as error:
        problem = error.problem if isinstance(error, Refused) else PROBLEMS.tell(error)
        code = problem.type.rpartition(":")[2]
        refusal = code_text(visit, code, problem.detail)
        nothing = browsing.Wanted()
        return await run_in_threadpool(
            _papers_page, visit, access, nothing, refusal=refusal, status=problem.status
        )
    found = await run_in_threadpool(find_paper, access, document_id)
    said = "uploaded" if found["duplicate_of"] is None else "duplicate"
    return visit.go(f"/papers/{document_id}", said)


@router.get("/inbox")
def show_inbox(visit: OfVisit, access: Reader, before: Cursor = None) -> Response:
    """Show what is not filed yet."""
    wanted = browsing.Wanted("inbox")
    with access.read() as connection:
        page = browsing.papers(connection, access.tenant_id, wanted, before=before, limit=ROWS)
    return PAGES.render(
        visit,
        "inbox.html",
        papers=[paper_of(each) for each in page.rows],
        next=page.next and visit.link("/inbox", before=page.next),
    )


def _id_of(text: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        return None
