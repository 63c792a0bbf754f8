"""Search in the texts of an organization's documents."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from leasehold.kit.web import Document, a_text
from leasehold_documents import searching
from leasehold_documents.web.people import Reader
from leasehold_documents.web.problems import PROBLEMS

router = APIRouter(prefix="/api", tags=["search"])
MOST_HITS = 100
DEFAULT_HITS = 20


class Hit(Document):
    """A piece of a text. `headline` is HTML: escaped, with what was found in `<mark>`."""

    document_id: UUID
    name: str
    doc_type: str | None
    page_number: int | None
    chunk_index: int
    text: str
    headline: str = Field(examples=["Der <mark>Mietvertrag</mark> endet"])
    score: int


class Hits(Document):
    """The best first."""

    hits: list[Hit]


@router.get("/search", response_model=Hits, responses=PROBLEMS.responses())
def search_documents(
    access: Reader,
    q: Annotated[
        str, a_text(1_000), Query(description='`mietvertrag "diese Wörter" kündig* -pacht oder …`')
    ],
    limit: Annotated[int, Query(ge=1, le=MOST_HITS)] = DEFAULT_HITS,
) -> dict[str, Any]:
    """Find texts, in German and English."""
    return {"hits": searching.search(access, q, limit=limit)}
