"""The rows of documents. Who asks says whose: another tenant's document is not there."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import delete, func, literal, select, tuple_, update

from leasehold.kit.data import Id, Page, insert_new, page_of
from leasehold_documents.data.tables import documents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy import Connection


def add(connection: Connection, row: Mapping[str, Any]) -> bool:
    """Write down a document; False when this version of a source's file is there already."""
    return insert_new(connection, documents, [row]) == 1


def get(connection: Connection, tenant_id: UUID, document_id: UUID) -> dict[str, Any] | None:
    """Read a document of this tenant."""
    is_it = (documents.c.id == document_id, documents.c.tenant_id == tenant_id)
    row = connection.execute(select(documents).where(*is_it)).mappings().first()
    return None if row is None else dict(row)


def get_of_anyone(connection: Connection, document_id: UUID) -> dict[str, Any] | None:
    """Read a document, whosever it is: for a worker that is to compare that."""
    row = connection.execute(select(documents).where(documents.c.id == document_id))
    found = row.mappings().first()
    return None if found is None else dict(found)


def get_imported(
    connection: Connection, tenant_id: UUID, connector_id: UUID, remote_id: str, revision: str
) -> dict[str, Any] | None:
    """Read what was imported of this version of a source's file."""
    wanted = select(documents).where(
        documents.c.tenant_id == tenant_id,
        documents.c.connector_id == connector_id,
        documents.c.remote_id == remote_id,
        documents.c.remote_revision == revision,
    )
    row = connection.execute(wanted).mappings().first()
    return None if row is None else dict(row)


def page(
    connection: Connection,
    tenant_id: UUID,
    *,
    limit: int,
    before: UUID | None = None,
    node_id: UUID | None = None,
    doc_type: str | None = None,
) -> Page:
    """List documents, newest first; the next page begins behind the last one's id."""
    order = (documents.c.created_at, documents.c.id)
    wanted = select(documents).where(documents.c.tenant_id == tenant_id)
    if before is not None:
        is_it = (documents.c.tenant_id == tenant_id) & (documents.c.id == before)
        moment = select(documents.c.created_at).where(is_it).scalar_subquery()
        wanted = wanted.where(tuple_(*order) < tuple_(moment, literal(before, Id)))
    if node_id is not None:
        wanted = wanted.where(documents.c.node_id == node_id)
    if doc_type is not None:
        wanted = wanted.where(documents.c.doc_type == doc_type)
    return page_of(connection, wanted.order_by(*(each.desc() for each in order)), limit)


def newest_named(connection: Connection, tenant_id: UUID, name: str) -> dict[str, Any] | None:
    """Read the newest document that was called so when it came."""
    wanted = (
        select(documents)
        .where(documents.c.tenant_id == tenant_id, documents.c.name == name)
        .order_by(documents.c.created_at.desc(), documents.c.id.desc())
        .limit(1)
    )
    row = connection.execute(wanted).mappings().first()
    return None if row is None else dict(row)


def lock_content(connection: Connection, tenant_id: UUID, sha256: str) -> None:
    """Let nobody else add this content, or be charged for it, until the transaction ends.

    SQLite has one writer at a time anyway.
    """
    if connection.dialect.name == "postgresql":
        key = func.hashtextextended(f"{tenant_id}/{sha256}", 0)
        connection.execute(select(func.pg_advisory_xact_lock(key)))


def hold(connection: Connection, tenant_id: UUID, document_id: UUID) -> bool:
    """Let nobody else change or delete it until the transaction ends; says whether it is there.

    Who reads afterwards sees what others have done before. SQLite has one writer at a time anyway.
    """
    wanted = select(documents.c.id).where(
        documents.c.id == document_id, documents.c.tenant_id == tenant_id
    )
    # Its key stays: two that have both written chunks of it must not wait for each other.
    held = wanted.with_for_update(key_share=True)
    return connection.scalar(held) is not None


def first_with(connection: Connection, tenant_id: UUID, sha256: str) -> UUID | None:
    """Return the document of this content that is no duplicate: the first, until it is deleted."""
    found: UUID | None = connection.scalar(
        select(documents.c.id)
        .where(documents.c.tenant_id == tenant_id, documents.c.sha256 == sha256)
        .where(documents.c.duplicate_of.is_(None))
        .order_by(documents.c.created_at, documents.c.id)
        .limit(1)
    )
    return found


def change(
    connection: Connection, tenant_id: UUID, document_id: UUID, now: datetime, **values: Any
) -> None:
    """Change some of its columns."""
    connection.execute(
        update(documents)
        .where(documents.c.id == document_id, documents.c.tenant_id == tenant_id)
        .values(**values, updated_at=now)
    )


def remove(connection: Connection, tenant_id: UUID, document_id: UUID) -> bool:
    """Take it away, with its extractions and chunks."""
    is_it = (documents.c.id == document_id, documents.c.tenant_id == tenant_id)
    return connection.execute(delete(documents).where(*is_it)).rowcount == 1
