"""A file on its way: held outside of the database and the vault until all of it is there."""

from __future__ import annotations

import tempfile
from typing import TYPE_CHECKING, BinaryIO, cast

from starlette.concurrency import run_in_threadpool

from leasehold.kit.web.uploads import receive
from leasehold_documents import papers
from leasehold_documents.errors import Rejected

if TYPE_CHECKING:
    from uuid import UUID

    from fastapi import Request

    from leasehold_documents.access import Access
    from leasehold_documents.web.hub import Hub

_IN_MEMORY_BYTES = 1 << 20
UNNAMED = "document"


async def take(request: Request, hub: Hub, access: Access, name: str = "") -> UUID:
    """Take the request's file, and keep it as a document of the tenant."""
    with tempfile.SpooledTemporaryFile(_IN_MEMORY_BYTES) as held:
        taker = _Taker(cast("BinaryIO", held), hub.settings.file_bytes)
        named = await receive(request, taker.add)
        held.seek(0)
        kept = await run_in_threadpool(
            papers.add, access, hub.vault, name or named or UNNAMED, cast("BinaryIO", held)
        )
    document_id: UUID = kept["id"]
    return document_id


class _Taker:
    """Writes pieces down until they are too many."""

    def __init__(self, file: BinaryIO, most_bytes: int) -> None:
        self._file = file
        self._most_bytes = most_bytes
        self._size = 0

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._most_bytes:
            raise Rejected("FILE_TOO_LARGE", f"a file has at most {self._most_bytes:,} bytes here")
        self._file.write(piece)
