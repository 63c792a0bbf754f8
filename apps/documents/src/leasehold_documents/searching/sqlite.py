"""Words in SQLite: two columns of FTS5, the stems in their order and the marks in any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final
from uuid import UUID

from sqlalchemy import func, insert, select, text

from leasehold_documents.data.tables import terms
from leasehold_documents.searching.marking import STEM, prefix_of
from leasehold_documents.searching.ranking import Candidate
from leasehold_documents.searching.wording import SQLITE, Wording

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_documents.searching.stores import Chunk

_WRITE: Final = text(
    "INSERT INTO document_words (rowid, stems, marks) VALUES (:number, :stems, :marks)"
)
# FTS5 gives its rows from the last to the first; the tenant is the fence.
_FIND: Final = text("""
SELECT w.rowid, t.is_title, w.stems
FROM document_words AS w
CROSS JOIN document_terms AS t
WHERE document_words MATCH :wanted
  AND t.number = w.rowid
  AND t.tenant_id = :tenant_id
ORDER BY w.rowid DESC
LIMIT :most
""")


class SqliteWords:
    """Writes and finds in a transaction of somebody else's."""

    def write(
        self, connection: Connection, tenant_id: UUID, document_id: UUID, chunks: Sequence[Chunk]
    ) -> None:
        # Who writes is alone, so that the next numbers are ours.
        last = connection.scalar(select(func.coalesce(func.max(terms.c.number), 0))) or 0
        prefix = prefix_of(tenant_id)
        rows, words = [], []
        for number, (chunk_id, marked) in enumerate(chunks, start=last + 1):
            rows.append({"number": number, "chunk_id": chunk_id, "is_title": marked.is_title})
            stems = " ".join(f"{prefix}{STEM}{stem}" for stem in marked.stems)
            marks = " ".join(prefix + mark for mark in marked.marks)
            words.append({"number": number, "stems": f" {stems} ", "marks": marks})
        whose = {"tenant_id": tenant_id, "document_id": document_id}
        connection.execute(insert(terms), [whose | row for row in rows])
        connection.execute(_WRITE, words)

    def find(
        self, connection: Connection, tenant_id: UUID, wanted: str, most: int
    ) -> list[Candidate]:
        said = {"tenant_id": str(tenant_id), "wanted": wanted, "most": most}
        before = f" {prefix_of(tenant_id)}{STEM}"
        rows = connection.execute(_FIND, said).all()
        return [Candidate(row[0], row[1], row[2].replace(before, " ")) for row in rows]

    def wording(self, tenant_id: UUID) -> Wording:
        return Wording(SQLITE, prefix_of(tenant_id))
