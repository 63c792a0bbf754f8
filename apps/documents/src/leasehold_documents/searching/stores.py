"""Which index a connection has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol
from uuid import UUID

from leasehold_documents.searching.marking import Marked
from leasehold_documents.searching.postgres import PostgresWords
from leasehold_documents.searching.ranking import Candidate
from leasehold_documents.searching.sqlite import SqliteWords
from leasehold_documents.searching.wording import Wording

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Chunk(NamedTuple):
    """A chunk to be written."""

    id: UUID
    marked: Marked


class Words(Protocol):
    """What both can do."""

    def write(
        self, connection: Connection, tenant_id: UUID, document_id: UUID, chunks: Sequence[Chunk]
    ) -> None:
        """Write a document's chunks, of which none is there."""

    def find(
        self, connection: Connection, tenant_id: UUID, wanted: str, most: int
    ) -> list[Candidate]:
        """Find the newest hits of a tenant."""

    def wording(self, tenant_id: UUID) -> Wording:
        """Say how it is asked."""


def words_in(connection: Connection) -> Words:
    """Return the index of the database that this is connected to."""
    return SqliteWords() if connection.dialect.name == "sqlite" else PostgresWords()
