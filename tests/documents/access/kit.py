"""Two tenants and their people."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import Connection, insert

from leasehold.kit.data import Database
from leasehold_documents.access import add_member, create_organization, create_user
from leasehold_documents.data.tables import document_chunks, documents, extractions

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Two(NamedTuple):
    """Ada is of the first tenant, Bob of the second, Eve of both."""

    first: UUID
    second: UUID
    ada: UUID
    bob: UUID
    eve: UUID


def make_two(database: Database) -> Two:
    first, second = (create_organization(database, name) for name in ("Erste GmbH", "Zweite AG"))
    ada, bob, eve = (create_user(database, f"{name}@example.com") for name in ("ada", "bob", "eve"))
    for user, tenant in ((ada, first), (bob, second), (eve, first), (eve, second)):
        add_member(database, user, tenant)
    return Two(first, second, ada, bob, eve)


def add_document(connection: Connection, tenant_id: UUID, name: str = "a.pdf") -> UUID:
    """Write a document as it stands after an upload."""
    document_id = uuid4()
    whose = {"id": document_id, "tenant_id": tenant_id, "name": name, "file_path": f"t/{uuid4()}"}
    content = {"media_type": "application/pdf", "size_bytes": 3, "sha256": "0" * 64}
    row = whose | content | {"created_at": NOW, "updated_at": NOW}
    connection.execute(insert(documents), row)
    return document_id


def add_chunk(connection: Connection, tenant_id: UUID, document_id: UUID, text: str) -> UUID:
    """Write a document's extraction with one chunk."""
    common = {"tenant_id": tenant_id, "document_id": document_id, "created_at": NOW}
    extraction_id = uuid4()
    extraction = {"id": extraction_id, "engine": "unstructured_fast", "updated_at": NOW}
    connection.execute(insert(extractions), common | extraction)
    chunk = {"id": uuid4(), "extraction_id": extraction_id, "chunk_index": 0, "text": text}
    connection.execute(insert(document_chunks), common | chunk)
    return extraction_id
