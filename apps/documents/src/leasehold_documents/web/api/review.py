"""Reviews: what documents were thought to be, and what people make of that."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from leasehold.kit.web import Command, Document, IdText
from leasehold_documents import reviewing
from leasehold_documents.data import browsing
from leasehold_documents.web.api.documents import find_paper
from leasehold_documents.web.api.values import (
    DEFAULT_PAGE,
    CursorQuery,
    DocumentPath,
    LimitQuery,
    Paper,
    PaperPage,
    TypeName,
    paper_of,
)
from leasehold_documents.web.people import Changer, Reader
from leasehold_documents.web.problems import PROBLEMS

router = APIRouter(prefix="/api", tags=["review"])


class Correction(Command):
    """What it is instead; without a place it goes where such documents are filed."""

    doc_type: TypeName = Field(examples=["Rechnung"])
    node_id: IdText | None = None


class Node(Document):
    """Where documents are filed."""

    id: UUID
    parent_id: UUID | None
    name: str
    path: str = Field(examples=["Verträge / Mietverträge"])
    doc_type: str | None


class NodeList(Document):
    """The tree, in which what is below follows."""

    nodes: list[Node]


@router.get("/review", response_model=PaperPage, responses=PROBLEMS.responses())
def list_reviews(
    access: Reader, before: CursorQuery = None, limit: LimitQuery = DEFAULT_PAGE
) -> dict[str, Any]:
    """List documents that wait for somebody's word, newest first."""
    with access.read() as connection:
        page = browsing.pending_reviews(connection, access.tenant_id, before=before, limit=limit)
    return {"documents": [paper_of(each) for each in page.rows], "next": page.next}


@router.post(
    "/review/{document_id}/accept", response_model=Paper, responses=PROBLEMS.responses(404, 409)
)
def accept_suggestion(document_id: DocumentPath, access: Changer) -> dict[str, Any]:
    """File a document as it was suggested."""
    reviewing.accept(access, document_id)
    return find_paper(access, document_id)


@router.post(
    "/review/{document_id}/correct", response_model=Paper, responses=PROBLEMS.responses(404)
)
def correct_suggestion(
    document_id: DocumentPath, correction: Correction, access: Changer
) -> dict[str, Any]:
    """Say what a document is instead."""
    reviewing.correct(access, document_id, correction.doc_type, node_id=correction.node_id)
    return find_paper(access, document_id)


@router.post(
    "/review/{document_id}/reject", response_model=Paper, responses=PROBLEMS.responses(404)
)
def reject_suggestion(document_id: DocumentPath, access: Changer) -> dict[str, Any]:
    """Say that a document is not what was suggested: it stays in the inbox."""
    reviewing.reject(access, document_id)
    return find_paper(access, document_id)


@router.get("/nodes", response_model=NodeList, responses=PROBLEMS.responses())
def list_nodes(access: Reader) -> dict[str, Any]:
    """List where documents are filed."""
    with access.read() as connection:
        return {"nodes": browsing.nodes_of(connection, access.tenant_id)}
