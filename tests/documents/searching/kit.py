"""Papers of a tenant as they stand after an extraction, and what is found of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import Connection, insert, select, text, update

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_documents.access import Access, add_member, create_organization, create_user
from leasehold_documents.data.tables import document_chunks, documents, extractions, terms
from leasehold_documents.searching import index_chunks, search
from leasehold_documents.searching.asking import understand
from leasehold_documents.searching.stores import words_in
from tests.faults.waiting import wait_for

_WAITS = text("""
SELECT 1
FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
""")
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Text(NamedTuple):
    """A chunk's text."""

    text: str
    element_type: str = "NarrativeText"


class Archive:
    """One tenant with one person, and the papers that are put into it."""

    def __init__(self, queue: lh.Client, database: Database, name: str = "Muster GmbH") -> None:
        self.queue = queue
        self.database = database
        self.tenant_id = create_organization(database, name)
        user_id = create_user(database, f"{uuid4()}@example.com")
        add_member(database, user_id, self.tenant_id)
        self.access = Access(queue, database, user_id, self.tenant_id)

    def put(self, name: str, *chunks: str | Text) -> UUID:
        """Add a paper whose chunks are these."""
        with self.database.write() as connection:
            document_id = self._add_document(connection, name)
            self.extract(connection, document_id, chunks)
        return document_id

    def put_all(self, papers: Iterable[tuple[str, Sequence[str | Text]]]) -> None:
        """Add many in one transaction."""
        with self.database.write() as connection:
            for name, chunks in papers:
                self.extract(connection, self._add_document(connection, name), chunks)

    def extract(
        self, connection: Connection, document_id: UUID, chunks: Sequence[str | Text]
    ) -> UUID:
        """Make these chunks the paper's current extraction."""
        extraction_id = self._add_extraction(connection, document_id)
        whose = {"tenant_id": self.tenant_id, "document_id": document_id}
        common = whose | {"extraction_id": extraction_id, "created_at": NOW}
        rows = [common | _chunk(index, chunk) for index, chunk in enumerate(chunks)]
        connection.execute(insert(document_chunks), rows)
        index_chunks(connection, self.tenant_id, extraction_id)
        current = {"current_extraction_id": extraction_id}
        connection.execute(update(documents).where(documents.c.id == document_id).values(current))
        return extraction_id

    def found(self, text: str, *, limit: int = 100) -> list[str]:
        """Name the papers that a search finds, best first."""
        return list(dict.fromkeys(hit.name for hit in search(self.access, text, limit=limit)))

    def every_hit(self, typed: str) -> set[tuple[UUID, int]]:
        """Tell the document and the place of each chunk that the index finds, ranked or not."""
        with self.access.read() as connection:
            words = words_in(connection)
            wanted = words.wording(self.tenant_id).all_hits(understand(typed))
            found = words.find(connection, self.tenant_id, wanted, 100_000)
            numbers = [each.number for each in found]
            chunk = document_chunks.c
            places = (
                select(chunk.document_id, chunk.chunk_index)
                .join(terms, terms.c.chunk_id == chunk.id)
                .where(terms.c.number.in_(numbers))
            )
            return {(row.document_id, row.chunk_index) for row in connection.execute(places)}

    def _add_document(self, connection: Connection, name: str) -> UUID:
        document_id = uuid4()
        whose = {"id": document_id, "tenant_id": self.tenant_id, "name": name, "file_path": "x"}
        content = {"media_type": "application/pdf", "size_bytes": 3, "sha256": "0" * 64}
        row = whose | content | {"created_at": NOW, "updated_at": NOW}
        connection.execute(insert(documents), row)
        return document_id

    def _add_extraction(self, connection: Connection, document_id: UUID) -> UUID:
        row = {"id": uuid4(), "tenant_id": self.tenant_id, "document_id": document_id}
        how = {"engine": "unstructured_fast", "status": "done"}
        connection.execute(insert(extractions), row | how | {"created_at": NOW, "updated_at": NOW})
        return row["id"]


def _chunk(index: int, chunk: str | Text) -> dict[str, Any]:
    given = Text(chunk) if isinstance(chunk, str) else chunk
    return {"id": uuid4(), "chunk_index": index, "page_number": index + 1, **given._asdict()}


def wait_for_waiter(database: Database) -> None:
    """Wait until another transaction waits for ours; in SQLite nobody can begin to write."""
    if not database.is_sqlite:
        wait_for("a transaction that waits", lambda: _waiter(database), seconds=30)


def _waiter(database: Database) -> int | None:
    with database.read() as connection:
        found: int | None = connection.scalar(_WAITS)
    return found
