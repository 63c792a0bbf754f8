"""Documents as people see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold_documents.data import documents
from leasehold_documents.errors import NotFound

if TYPE_CHECKING:
    from leasehold.kit.data import Page
    from leasehold_documents.access import Access

DEFAULT_PAGE = 50


def get(access: Access, document_id: UUID) -> dict[str, Any]:
    """Return a document's row, else `NotFound`."""
    with access.read() as connection:
        found = documents.get(connection, access.tenant_id, document_id)
    if found is None:
        raise NotFound("document", document_id)
    return found


def named(access: Access, name: str) -> dict[str, Any]:
    """Return the newest document of this name, else `NotFound`."""
    with access.read() as connection:
        found = documents.newest_named(connection, access.tenant_id, name)
    if found is None:
        raise NotFound("document", name)
    return found


def page(
    access: Access,
    *,
    limit: int = DEFAULT_PAGE,
    before: UUID | None = None,
    node_id: UUID | None = None,
    doc_type: str | None = None,
) -> Page:
    """List documents, newest first; for the next page pass the last one's id as `before`."""
    with access.read() as connection:
        return documents.page(
            connection,
            access.tenant_id,
            limit=limit,
            before=before,
            node_id=node_id,
            doc_type=doc_type,
        )
