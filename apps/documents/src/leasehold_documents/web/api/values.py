"""The values that requests and answers are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from fastapi import Path, Query
from pydantic import Field

from leasehold.kit.web import Document, a_line

Engine: TypeAlias = Literal["unstructured_fast", "unstructured_hires"]
ExtractionStatus: TypeAlias = Literal[
    "awaiting_consent", "queued", "running", "done", "failed", "cancelled"
]
JobStatus: TypeAlias = Literal["queued", "running", "done", "failed", "dead", "cancelled"]
SuggestionState: TypeAlias = Literal[
    "filed", "review", "inbox", "accepted", "corrected", "rejected"
]
LIVE = frozenset({"queued", "running"})  # extractions of which something is still to come

DocumentPath: TypeAlias = Annotated[UUID, Path(description="A document of the organization.")]
ExtractionPath: TypeAlias = Annotated[UUID, Path(description="As `estimate` has answered it.")]
JobPath: TypeAlias = Annotated[UUID, Path(description="A job of the organization.")]
CursorQuery: TypeAlias = Annotated[
    UUID | None, Query(description="Go on behind this one: `next` of the page before.")
]
LimitQuery: TypeAlias = Annotated[int, Query(ge=1, le=200)]
DEFAULT_PAGE = 50
TypeName: TypeAlias = Annotated[str, a_line(80)]
EVENTS = "text/event-stream"


class Extraction(Document):
    """A reading of a document: what it was to cost, what it did cost, and how it stands."""

    id: UUID
    document_id: UUID
    engine: Engine
    status: ExtractionStatus
    estimated_pages: int | None
    estimated_cost_cents: int | None
    actual_pages: int | None
    actual_cost_cents: int | None
    consent_given_at: datetime | None
    consent_given_by: UUID | None
    error_code: str | None = Field(examples=["NO_TEXT_LAYER"])
    error_message: str | None
    result_json: dict[str, Any] | None
    job_id: UUID | None
    started_at: datetime | None
    finished_at: datetime | None
    created_at: datetime
    pages_read: int | None = Field(default=None, description="So far; null: nobody counts.")


class Suggestion(Document):
    """What a document was thought to be, and what people made of it."""

    doc_type: str | None = Field(examples=["Mietvertrag"], description="Null: nothing was.")
    confidence: float = Field(ge=0, le=1)
    node_id: UUID | None
    state: SuggestionState
    decided_type: str | None
    decided_by: UUID | None
    decided_at: datetime | None


class Paper(Document):
    """A document. `name` is as it was given: text, never a path."""

    id: UUID
    name: str = Field(examples=["Mietvertrag Hauptstraße 5.pdf"])
    media_type: str = Field(examples=["application/pdf"])
    size_bytes: int
    sha256: str
    page_count: int | None
    doc_type: str | None
    node_id: UUID | None
    node_name: str | None
    duplicate_of: UUID | None = Field(description="The document with the very same bytes.")
    source: str = Field(examples=["upload"])
    current_extraction_id: UUID | None
    created_by: UUID | None
    created_at: datetime
    updated_at: datetime
    extraction: Extraction | None = Field(description="The last one.")
    suggestion: Suggestion | None


class PaperPage(Document):
    """Documents, newest first."""

    documents: list[Paper]
    next: UUID | None


def paper_of(row: dict[str, Any]) -> dict[str, Any]:
    """Write a row as it is answered: confidence as a share, and no type where none was found."""
    thought = row["suggestion"]
    if thought is None:
        return row
    said = {"confidence": thought["confidence"] / 1000, "doc_type": thought["doc_type"] or None}
    return row | {"suggestion": thought | said}


def events(description: str) -> dict[int | str, dict[str, Any]]:
    """Describe a stream of events."""
    return {200: {"description": description, "content": {EVENTS: {}}}}
