"""Writes the index anew from the chunks: after a change of the analyser, or for its order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from sqlalchemy import select

from leasehold_documents.data.documents import hold
from leasehold_documents.data.tables import documents
from leasehold_documents.searching.indexing import forget, index_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold_documents.access import Service

_AT_ONCE: Final = 200  # documents that are listed at a time


def reindex(service: Service, tenant_id: UUID | None = None) -> int:
    """Index all documents of a tenant, or of all tenants, one after the other; counts the chunks.

    Each is a transaction of its own, so that others find and write meanwhile; who is interrupted
    begins again.
    """
    return sum(_reindex(service, document) for document in _documents(service, tenant_id))


def _reindex(service: Service, document: Any) -> int:
    with service.write() as session:
        connection = session.connection()
        # Held, and read again: an extraction may have become the current one meanwhile.
        hold(connection, document.tenant_id, document.id)
        extraction_id = connection.scalar(_current(document.id))
        if extraction_id is None:
            forget(connection, document.tenant_id, document.id)
            return 0
        return index_chunks(connection, document.tenant_id, extraction_id)


def _current(document_id: UUID) -> Any:
    return select(documents.c.current_extraction_id).where(documents.c.id == document_id)


def _documents(service: Service, tenant_id: UUID | None) -> Iterator[Any]:
    """Walk through them in the order of their ids."""
    after: UUID | None = None
    while True:
        wanted = select(documents.c.id, documents.c.tenant_id).order_by(documents.c.id)
        if tenant_id is not None:
            wanted = wanted.where(documents.c.tenant_id == tenant_id)
        if after is not None:
            wanted = wanted.where(documents.c.id > after)
        with service.read() as connection:
            rows = connection.execute(wanted.limit(_AT_ONCE)).all()
        if not rows:
            return
        yield from rows
        after = rows[-1].id
