"""Where a suggestion goes: the paper is filed, shown to people for review, or left in the inbox."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from sqlalchemy import select, update

from leasehold.kit.data import upsert
from leasehold_documents.classifying.values import Suggested
from leasehold_documents.data.documents import hold
from leasehold_documents.data.tables import document_chunks, documents, suggestions
from leasehold_documents.errors import NotFound

if TYPE_CHECKING:
    from sqlalchemy import Connection

DECIDED: Final = ("accepted", "corrected", "rejected")
_READ: Final = 20  # chunks at the beginning, by which a paper is judged
NO_TYPE: Final = ""


def file(
    connection: Connection,
    tenant_id: UUID,
    document_id: UUID,
    suggested: Suggested,
    now: datetime,
) -> str:
    """Write the suggestion, and file the paper if it is sure; says the state that it has now.

    What a person has decided stays, however often the paper is read again.
    """
    extraction_id, state = _standing(connection, tenant_id, document_id)
    if state in DECIDED:
        return state
    whose = {"document_id": document_id, "tenant_id": tenant_id, "extraction_id": extraction_id}
    what = {"doc_type": suggested.doc_type or NO_TYPE, "node_id": suggested.node_id}
    how = {"confidence": round(1000 * suggested.confidence), "state": suggested.state}
    row: dict[str, Any] = {**whose, **what, **how, "created_at": now}
    upsert(connection, suggestions, row, key=("document_id",), keep=("tenant_id",))
    is_filed = suggested.state == "filed"
    place(
        connection,
        tenant_id,
        document_id,
        doc_type=suggested.doc_type if is_filed else None,
        node_id=suggested.node_id if is_filed else None,
        now=now,
    )
    return suggested.state


def place(
    connection: Connection,
    tenant_id: UUID,
    document_id: UUID,
    *,
    doc_type: str | None,
    node_id: UUID | None,
    now: datetime,
) -> None:
    """Say what a paper is, and where it is filed; None: in the inbox."""
    whose = (documents.c.id == document_id, documents.c.tenant_id == tenant_id)
    changed = {"doc_type": doc_type, "node_id": node_id, "updated_at": now}
    connection.execute(update(documents).where(*whose).values(changed))


def text_of(connection: Connection, tenant_id: UUID, document_id: UUID) -> str:
    """Read the beginning of a paper, as its current extraction has it."""
    chunk = document_chunks.c
    wanted = (
        select(chunk.text)
        .join(documents, documents.c.current_extraction_id == chunk.extraction_id)
        .where(documents.c.id == document_id, documents.c.tenant_id == tenant_id)
        .order_by(chunk.chunk_index)
        .limit(_READ)
    )
    return "\n".join(connection.scalars(wanted))


def _standing(
    connection: Connection, tenant_id: UUID, document_id: UUID
) -> tuple[UUID, str | None]:
    """Tell a paper's current extraction, and what is known of its suggestion; both stay so."""
    hold(connection, tenant_id, document_id)
    wanted = (
        select(documents.c.current_extraction_id, suggestions.c.state)
        .outerjoin(suggestions, suggestions.c.document_id == documents.c.id)
        .where(documents.c.id == document_id, documents.c.tenant_id == tenant_id)
    )
    found = connection.execute(wanted).one_or_none()
    if found is None or found.current_extraction_id is None:
        raise NotFound("extracted document", document_id)
    return found.current_extraction_id, found.state
