"""Writes what search finds: the chunks of a document's current extraction, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import delete, select

from leasehold_documents.data.documents import hold
from leasehold_documents.data.tables import document_chunks, extractions, terms
from leasehold_documents.errors import NotFound
from leasehold_documents.searching.marking import Marked, mark
from leasehold_documents.searching.stores import Chunk, words_in

if TYPE_CHECKING:
    from sqlalchemy import Connection


def index_chunks(
    connection: Connection,
    tenant_id: UUID,
    extraction_id: UUID,
    *,
    marked: Sequence[Marked] | None = None,
) -> int:
    """Let search find this extraction's chunks, instead of what it found of the document before.

    In the transaction that writes the chunks and makes the extraction the current one. Who has the
    chunks beforehand gives `[mark(text, element_type), …]` in their order: analysing takes longer
    than writing, and on SQLite nobody else writes meanwhile. Says how many there are.
    """
    document_id = _document_of(connection, tenant_id, extraction_id)
    # Two extractions that end at once take turns: the later one sees what it is to replace.
    hold(connection, tenant_id, document_id)
    forget(connection, tenant_id, document_id)
    rows = _chunks(connection, tenant_id, extraction_id)
    if marked is None:
        marked = [mark(row.text, row.element_type) for row in rows]
    chunks = [Chunk(row.id, each) for row, each in zip(rows, marked, strict=True)]
    if chunks:
        words_in(connection).write(connection, tenant_id, document_id, chunks)
    return len(chunks)


def forget(connection: Connection, tenant_id: UUID, document_id: UUID) -> None:
    """Let search find nothing of a document; deleting the document does so by itself."""
    whose = (terms.c.tenant_id == tenant_id, terms.c.document_id == document_id)
    connection.execute(delete(terms).where(*whose))


def _document_of(connection: Connection, tenant_id: UUID, extraction_id: UUID) -> UUID:
    wanted = select(extractions.c.document_id).where(
        extractions.c.id == extraction_id, extractions.c.tenant_id == tenant_id
    )
    found: UUID | None = connection.scalar(wanted)
    if found is None:
        raise NotFound("extraction", extraction_id)
    return found


def _chunks(connection: Connection, tenant_id: UUID, extraction_id: UUID) -> Sequence[Any]:
    chunk = document_chunks.c
    wanted = (
        select(chunk.id, chunk.text, chunk.element_type)
        .where(chunk.extraction_id == extraction_id, chunk.tenant_id == tenant_id)
        .order_by(chunk.chunk_index)
    )
    return connection.execute(wanted).all()
