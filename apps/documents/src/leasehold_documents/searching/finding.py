"""A person's search in a tenant: the best chunks first, the same on both databases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.exc import ProgrammingError

from leasehold_documents.data import audit
from leasehold_documents.data.tables import document_chunks, documents, terms
from leasehold_documents.errors import Forbidden
from leasehold_documents.searching.asking import Question, understand
from leasehold_documents.searching.headlines import Headlines
from leasehold_documents.searching.ranking import Ranked, rank
from leasehold_documents.searching.stores import words_in

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_documents.access import Access

MOST_HITS: Final = 100
# Of more hits than this the newest are ranked, and the newest of those that are about it.
RANKED: Final = 1_000
_NO_RIGHT: Final = "42501"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A chunk that was found; `headline` is HTML, the rest is text."""

    document_id: UUID
    name: str
    doc_type: str | None
    chunk_id: UUID
    chunk_index: int
    page_number: int | None
    element_type: str | None
    text: str
    headline: str
    score: int


def search(access: Access, text: str, *, limit: int = 20) -> list[Hit]:
    """Find what was typed, in the current extractions of the tenant's documents.

    `Rejected` (EMPTY_QUERY, QUERY_TOO_LONG) for what can't be looked for.
    """
    question = understand(text)
    try:
        with access.read() as connection:
            ranked = _ranked(connection, access.tenant_id, question)
            best = ranked[: max(1, min(limit, MOST_HITS))]
            return _hits(connection, access.tenant_id, question, best)
    except ProgrammingError as error:
        if getattr(error.orig, "sqlstate", None) != _NO_RIGHT:
            raise
        audit.record(
            access.database, "search.refused", tenant_id=access.tenant_id, user_id=access.user_id
        )
        raise Forbidden("only members of an organization may search in it") from None


def _ranked(connection: Connection, tenant_id: UUID, question: Question) -> list[Ranked]:
    words = words_in(connection)
    wording = words.wording(tenant_id)
    found = words.find(connection, tenant_id, wording.all_hits(question), RANKED)
    if len(found) == RANKED:
        found += words.find(connection, tenant_id, wording.best_hits(question), RANKED)
    return rank(question, {each.number: each for each in found}.values())


def _hits(
    connection: Connection, tenant_id: UUID, question: Question, best: Sequence[Ranked]
) -> list[Hit]:
    rows = _rows(connection, tenant_id, [hit.number for hit in best])
    headlines = Headlines(question)
    found = ((rows.get(hit.number), hit.score) for hit in best)
    return [
        Hit(**row, headline=headlines.of(row["text"]), score=score)
        for row, score in found
        if row is not None
    ]


def _rows(
    connection: Connection, tenant_id: UUID, numbers: Sequence[int]
) -> dict[int, dict[str, Any]]:
    chunk, document = document_chunks.c, documents.c
    wanted = (
        select(
            terms.c.number,
            *(document.id.label("document_id"), document.name, document.doc_type),
            *(chunk.id.label("chunk_id"), chunk.chunk_index, chunk.page_number),
            *(chunk.element_type, chunk.text),
        )
        .join(document_chunks, chunk.id == terms.c.chunk_id)
        .join(documents, document.id == chunk.document_id)
        .where(terms.c.number.in_(numbers), terms.c.tenant_id == tenant_id)
        # The index has no others; who shows a text makes sure.
        .where(document.current_extraction_id == chunk.extraction_id)
    )
    found = (dict(row) for row in connection.execute(wanted).mappings())
    return {row.pop("number"): row for row in found}
