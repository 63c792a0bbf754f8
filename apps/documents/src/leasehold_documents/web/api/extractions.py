"""Extractions: what one would cost, consent to that, and to take it back."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field, StringConstraints

from leasehold.kit.web import Command, Document, IdText
from leasehold_documents import billing
from leasehold_documents.access import Access
from leasehold_documents.data import browsing
from leasehold_documents.errors import NotFound
from leasehold_documents.web.api.documents import find_paper
from leasehold_documents.web.api.values import DocumentPath, Engine, Extraction, ExtractionPath
from leasehold_documents.web.hub import OfHub
from leasehold_documents.web.people import Changer, Reader
from leasehold_documents.web.problems import PROBLEMS

router = APIRouter(prefix="/api/documents/{document_id}/extractions", tags=["extractions"])
Password = Annotated[str, StringConstraints(strict=True, min_length=1, max_length=500)]


class EstimateRequest(Command):
    """How to read it: `unstructured_fast` takes the text that is in it, `…_hires` looks at it."""

    engine: Engine = "unstructured_fast"


class Estimate(Document):
    """What it would cost; nothing is read or charged before this is confirmed."""

    extraction_id: UUID
    engine: Engine
    pages: int
    cents: int


class Consent(Command):
    """Agree to the price of an estimate."""

    extraction_id: IdText
    password: Password | None = Field(
        default=None, description="Of an encrypted file; it is used once and not kept."
    )


class Confirmed(Document):
    """The job that reads it."""

    job_id: UUID
    extraction: Extraction


class ExtractionList(Document):
    """All of a document, newest first."""

    extractions: list[Extraction]


@router.get("", response_model=ExtractionList, responses=PROBLEMS.responses(404))
def list_extractions(document_id: DocumentPath, access: Reader) -> dict[str, Any]:
    """List how a document was read."""
    find_paper(access, document_id)
    return {"extractions": find_extractions(access, document_id)}


@router.post(
    "/estimate", status_code=201, response_model=Estimate, responses=PROBLEMS.responses(404)
)
def estimate_extraction(
    document_id: DocumentPath, wanted: EstimateRequest, access: Changer, hub: OfHub
) -> dict[str, Any]:
    """Say what reading a document would cost."""
    found = billing.estimate(access, hub.vault, document_id, wanted.engine)
    return {
        "extraction_id": found.extraction_id,
        "engine": wanted.engine,
        "pages": found.pages,
        "cents": found.cents,
    }


@router.post(
    "/confirm", status_code=202, response_model=Confirmed, responses=PROBLEMS.responses(404, 409)
)
def confirm_extraction(
    document_id: DocumentPath, consent: Consent, access: Changer
) -> dict[str, Any]:
    """Consent to an estimate: its price is reserved, and a worker reads the document."""
    find_extraction(access, document_id, consent.extraction_id)
    job_id = billing.confirm(access, consent.extraction_id, password=consent.password)
    found = find_extraction(access, document_id, consent.extraction_id)
    return {"job_id": job_id, "extraction": found}


@router.post(
    "/{extraction_id}/withdraw", response_model=Extraction, responses=PROBLEMS.responses(404, 409)
)
def withdraw_consent(
    document_id: DocumentPath, extraction_id: ExtractionPath, access: Changer
) -> dict[str, Any]:
    """Take consent back: what waits or runs is cancelled, and the price given back."""
    find_extraction(access, document_id, extraction_id)
    billing.withdraw(access, extraction_id)
    return find_extraction(access, document_id, extraction_id)


def find_extractions(access: Access, document_id: UUID) -> list[dict[str, Any]]:
    with access.read() as connection:
        return browsing.extractions_of(connection, access.tenant_id, document_id)


def find_extraction(access: Access, document_id: UUID, extraction_id: UUID) -> dict[str, Any]:
    """Find one of a document; another document's is not there."""
    for each in find_extractions(access, document_id):
        if each["id"] == extraction_id:
            return each
    raise NotFound("extraction", extraction_id)
