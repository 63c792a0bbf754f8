"""One document: what it is, what reading it costs, consent to that, and its text."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request, Response
from starlette.responses import RedirectResponse

from leasehold_documents import billing, papers
from leasehold_documents.data import browsing
from leasehold_documents.errors import DocumentsError, Rejected, TooLate
from leasehold_documents.web.api.documents import find_paper, is_moving
from leasehold_documents.web.api.extractions import find_extraction, find_extractions
from leasehold_documents.web.api.files import make_link
from leasehold_documents.web.api.values import LIVE, DocumentPath, Engine
from leasehold_documents.web.hub import OfHub
from leasehold_documents.web.pages.shell import PAGES, OfVisit, Visit, code_text
from leasehold_documents.web.people import Changer, Reader
from leasehold_documents.web.problems import PROBLEMS

router = APIRouter(prefix="/papers/{document_id}", include_in_schema=False)
ROWS = 50
ENCRYPTED = frozenset({"DOCUMENT_ENCRYPTED", "WRONG_PASSWORD"})
FAST, HIRES = "unstructured_fast", "unstructured_hires"


@router.get("")
def show_paper(
    document_id: DocumentPath,
    visit: OfVisit,
    access: Reader,
    after: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None,
) -> Response:
    """Show a document."""
    return _show(visit, access, document_id, after=after)


def _show(
    visit: Visit,
    access: Any,
    document_id: UUID,
    *,
    after: int | None = None,
    refusal: str = "",
    status: int = 200,
) -> Response:
    found = find_paper(access, document_id)
    with access.read() as connection:
        current = found["current_extraction_id"]
        chunks = browsing.chunks_of(connection, access.tenant_id, current, after=after, limit=ROWS)
    is_live = is_moving(found)
    return PAGES.render(
        visit,
        "paper.html",
        status=status,
        of=found,
        is_live=is_live,
        has_stream=is_live,
        chunks=[each | {"pii": (each["metadata"] or {}).get("pii")} for each in chunks.rows],
        next=chunks.next is not None and visit.link(f"/papers/{document_id}", after=chunks.next),
        refusal=refusal,
        **_reading(visit, found, find_extractions(access, document_id)),
    )


def _reading(
    visit: Visit, paper: dict[str, Any], extractions: list[dict[str, Any]]
) -> dict[str, Any]:
    """Say what can be done: agree to a price, take that back, or ask for one."""
    last = paper["extraction"]
    ended = next((each for each in extractions if each["status"] != "awaiting_consent"), None)
    code = ended["error_code"] if ended and ended["status"] in {"failed", "cancelled"} else None
    return {
        "extractions": [each for each in extractions if each["status"] != "awaiting_consent"],
        "waiting": last if last and last["status"] == "awaiting_consent" else None,
        "is_running": bool(last) and last["status"] in LIVE,
        "failure": code_text(visit, code, ended["error_message"]) if code and ended else "",
        "needs_password": code in ENCRYPTED,
        "offered": HIRES if code == "NO_TEXT_LAYER" else FAST,
    }


@router.post("/estimate")
def estimate(
    document_id: DocumentPath,
    visit: OfVisit,
    access: Changer,
    hub: OfHub,
    engine: Annotated[Engine, Form()],
) -> Response:
    """Say what reading it would cost."""
    try:
        billing.estimate(access, hub.vault, document_id, engine)
    except Rejected as error:
        return _refuse(visit, access, document_id, error)
    return visit.go(f"/papers/{document_id}", "estimated")


@router.post("/confirm")
def confirm(
    document_id: DocumentPath,
    visit: OfVisit,
    access: Changer,
    extraction_id: Annotated[UUID, Form()],
    password: Annotated[str | None, Form(max_length=500)] = None,
) -> Response:
    """Consent to the price."""
    find_extraction(access, document_id, extraction_id)
    try:
        billing.confirm(access, extraction_id, password=password or None)
    except (Rejected, TooLate) as error:
        return _refuse(visit, access, document_id, error)
    return visit.go(f"/papers/{document_id}", "confirmed")


@router.post("/withdraw")
def withdraw(
    document_id: DocumentPath,
    visit: OfVisit,
    access: Changer,
    extraction_id: Annotated[UUID, Form()],
) -> Response:
    """Take consent back."""
    find_extraction(access, document_id, extraction_id)
    try:
        billing.withdraw(access, extraction_id)
    except (Rejected, TooLate) as error:
        return _refuse(visit, access, document_id, error)
    return visit.go(f"/papers/{document_id}", "withdrawn")


@router.post("/delete")
def delete(document_id: DocumentPath, visit: OfVisit, access: Changer) -> Response:
    """Forget it."""
    papers.delete(access, document_id)
    return visit.go("/papers", "deleted")


@router.get("/file")
def download(request: Request, document_id: DocumentPath, access: Reader, hub: OfHub) -> Response:
    """Lead to the file, by a link that is good for a quarter of an hour."""
    return RedirectResponse(make_link(request, document_id, access, hub)["url"], 303)


def _refuse(visit: Visit, access: Any, document_id: UUID, error: DocumentsError) -> Response:
    """Say on the same page why it can't be."""
    problem = PROBLEMS.tell(error)
    text = code_text(visit, problem.type.rpartition(":")[2], problem.detail)
    return _show(visit, access, document_id, refusal=text, status=problem.status)
