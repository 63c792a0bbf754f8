"""Reviews: papers that were not recognised for sure, and what somebody says of each."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Query, Response

from leasehold.kit.web import a_line
from leasehold_documents import reviewing
from leasehold_documents.data import browsing
from leasehold_documents.web.api.values import DocumentPath, paper_of
from leasehold_documents.web.pages.shell import PAGES, OfVisit
from leasehold_documents.web.people import Changer, Reader

router = APIRouter(prefix="/review", include_in_schema=False)
ROWS = 20


@router.get("")
def show_reviews(
    visit: OfVisit, access: Reader, before: Annotated[UUID | None, Query()] = None
) -> Response:
    """Show what waits for somebody's word."""
    with access.read() as connection:
        page = browsing.pending_reviews(connection, access.tenant_id, before=before, limit=ROWS)
        nodes = browsing.nodes_of(connection, access.tenant_id)
    return PAGES.render(
        visit,
        "review.html",
        papers=[paper_of(each) for each in page.rows],
        types=_types(nodes, page.rows),
        next=page.next and visit.link("/review", before=page.next),
    )


@router.post("/{document_id}/accept")
def accept(document_id: DocumentPath, visit: OfVisit, access: Changer) -> Response:
    """It is what it was thought to be."""
    reviewing.accept(access, document_id)
    return visit.go("/review", "accepted")


@router.post("/{document_id}/correct")
def correct(
    document_id: DocumentPath,
    visit: OfVisit,
    access: Changer,
    doc_type: Annotated[str, a_line(80), Form()],
) -> Response:
    """It is something else."""
    reviewing.correct(access, document_id, doc_type)
    return visit.go("/review", "corrected")


@router.post("/{document_id}/reject")
def reject(document_id: DocumentPath, visit: OfVisit, access: Changer) -> Response:
    """It is nothing of that."""
    reviewing.reject(access, document_id)
    return visit.go("/review", "rejected")


def _types(nodes: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[str]:
    """List what a paper can be: what has a place here, and what was suggested."""
    placed = {each["doc_type"] for each in nodes if each["doc_type"]}
    return sorted(placed | {each["suggestion"]["doc_type"] for each in rows} - {""})
