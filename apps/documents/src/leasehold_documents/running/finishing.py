"""The one transaction at an extraction's end: all of it stands, or the next attempt does it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import leasehold as lh
from leasehold_documents import searching
from leasehold_documents.data import chunks, documents, extractions, ledger
from leasehold_documents.extracting import Chunk, chunks_of
from leasehold_documents.running.settling import what_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_documents.access import Service
    from leasehold_documents.extracting import Extracted
    from leasehold_documents.running.agreed import Agreed


class Piece(NamedTuple):
    """A chunk, and the words that it is found by: to look for them takes longer than to write."""

    chunk: Chunk
    marked: searching.Marked


def pieces_of(extracted: Extracted) -> list[Piece]:
    """Cut the text into chunks, and look for their words."""
    return [
        Piece(chunk, searching.mark(chunk.text, chunk.element_type))
        for chunk in chunks_of(extracted.elements)
    ]


def finish(
    service: Service,
    connection: Connection,
    agreed: Agreed,
    extracted: Extracted,
    pieces: Sequence[Piece],
) -> None:
    """Write the chunks and their index, book, and let the document show them.

    `Cancel` when the extraction has ended meanwhile: its consent was withdrawn, say.
    """
    now = datetime.now(UTC)
    document, extraction = agreed
    documents.lock_content(connection, document["tenant_id"], document["sha256"])
    amount = _price(connection, extraction, document, extracted.page_count)
    is_done = extractions.finish(
        connection,
        extraction["id"],
        pages=extracted.page_count,
        cents=amount.cents,
        result={"element_count": len(extracted.elements), "backend": extracted.backend},
        now=now,
    )
    if not is_done:
        raise lh.Cancel("its extraction has ended meanwhile")
    _write_chunks(service, connection, extraction, pieces, now)
    ledger.book(connection, what_of(extraction, document), amount, now)
    documents.change(
        connection,
        document["tenant_id"],
        document["id"],
        now,
        current_extraction_id=extraction["id"],
        page_count=max(extracted.page_count, document["page_count"] or 0),
    )


def _write_chunks(
    service: Service,
    connection: Connection,
    extraction: dict[str, Any],
    pieces: Sequence[Piece],
    now: datetime,
) -> None:
    chunks.replace(
        connection,
        service.database.bulk(connection),
        extraction,
        chunks=[piece.chunk for piece in pieces],
        ids=service.client.ids.take(len(pieces)),
        now=now,
    )
    marked = [piece.marked for piece in pieces]
    searching.index_chunks(connection, extraction["tenant_id"], extraction["id"], marked=marked)


def _price(
    connection: Connection, extraction: dict[str, Any], document: dict[str, Any], pages: int
) -> ledger.Amount:
    """Charge for the pages that there are, never more than was agreed to, and no content twice."""
    agreed_pages, agreed = extraction["estimated_pages"], extraction["estimated_cost_cents"]
    owner = document["tenant_id"], document["sha256"], extraction["engine"]
    if not agreed or ledger.is_paid(connection, *owner):
        return ledger.Amount(pages, 0)
    return ledger.Amount(pages, min(agreed, pages * (agreed // max(1, agreed_pages))))
