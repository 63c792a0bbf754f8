"""Words in PostgreSQL: a tsvector of our own making, searched through a function of the owner's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final
from uuid import UUID

from sqlalchemy import text

from leasehold_documents.searching.marking import STEM, Marked, prefix_of
from leasehold_documents.searching.ranking import Candidate
from leasehold_documents.searching.wording import POSTGRES, Wording

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_documents.searching.stores import Chunk

_WRITE: Final = text("""
INSERT INTO document_terms (tenant_id, document_id, chunk_id, is_title, stems, tsv)
SELECT :tenant_id, :document_id, given.chunk_id, given.is_title, given.stems, given.tsv::tsvector
FROM unnest(
  CAST(:chunk_ids AS uuid[]),
  CAST(:titles AS boolean[]),
  CAST(:stems AS text[]),
  CAST(:vectors AS text[])
) WITH ORDINALITY AS given (chunk_id, is_title, stems, tsv, place)
ORDER BY given.place
""")
# Looked up in document_terms_words, inside the function.
_FIND: Final = text("""
SELECT number, is_title, stems
FROM documents_search(:tenant_id, CAST(:wanted AS tsquery), :most)
""")


class PostgresWords:
    """Writes and finds in a transaction of somebody else's."""

    def write(
        self, connection: Connection, tenant_id: UUID, document_id: UUID, chunks: Sequence[Chunk]
    ) -> None:
        prefix = prefix_of(tenant_id)
        said = {
            "tenant_id": tenant_id,
            "document_id": document_id,
            "chunk_ids": [str(chunk.id) for chunk in chunks],
            "titles": [chunk.marked.is_title for chunk in chunks],
            "stems": [f" {' '.join(chunk.marked.stems)} " for chunk in chunks],
            "vectors": [vector_of(chunk.marked, prefix) for chunk in chunks],
        }
        connection.execute(_WRITE, said)

    def find(
        self, connection: Connection, tenant_id: UUID, wanted: str, most: int
    ) -> list[Candidate]:
        said = {"tenant_id": tenant_id, "wanted": wanted, "most": most}
        return [Candidate(*row) for row in connection.execute(_FIND, said).all()]

    def wording(self, tenant_id: UUID) -> Wording:
        return Wording(POSTGRES, prefix_of(tenant_id))


def vector_of(marked: Marked, prefix: str) -> str:
    """Write stems with their places, those of a title weigh more, and marks without."""
    weight = "A" if marked.is_title else "D"
    places: dict[str, list[str]] = {}
    for place, stem in enumerate(marked.stems, start=1):
        places.setdefault(stem, []).append(f"{place}{weight}")
    stems = (f"'{prefix}{STEM}{stem}':{','.join(at)}" for stem, at in places.items())
    return " ".join((*stems, *(f"'{prefix}{mark}'" for mark in marked.marks)))
