"""The rows of chunks: all of an extraction's, in place of those that were there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol
from uuid import UUID

from sqlalchemy import delete

from leasehold.kit.data import moment_text
from leasehold_documents.data.tables import document_chunks

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold.kit.data import Bulk

_NAMES = (
    "id",
    "tenant_id",
    "document_id",
    "extraction_id",
    "chunk_index",
    "page_number",
    "element_type",
    "text",
    "metadata",
    "created_at",
)


class Chunk(Protocol):
    """A piece of a page, short enough to be found and shown."""

    @property
    def page_number(self) -> int | None: ...
    @property
    def element_type(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def metadata(self) -> dict[str, Any]: ...


def replace(
    connection: Connection,
    bulk: Bulk,
    extraction: Mapping[str, Any],
    *,
    chunks: Sequence[Chunk],
    ids: Sequence[UUID],
    now: datetime,
) -> None:
    """Write an extraction's chunks, after taking away those of an earlier attempt."""
    mine = document_chunks.c.extraction_id == extraction["id"]
    connection.execute(delete(document_chunks).where(mine))
    owners = [str(extraction[name]) for name in ("tenant_id", "document_id", "id")]
    at = moment_text(now)
    rows = [
        (
            str(chunk_id),
            *owners,
            index,
            chunk.page_number,
            chunk.element_type,
            chunk.text,
            json.dumps(chunk.metadata, ensure_ascii=False),
            at,
        )
        for index, (chunk_id, chunk) in enumerate(zip(ids, chunks, strict=True))
    ]
    bulk.insert_new(document_chunks, _NAMES, rows)
