"""The rows of imports: the uploaded file, counts, and the lines that did not become links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import delete, insert, select, update

from leasehold_links.bookmarks.lines import Counts, Line
from leasehold_links.data.tables import import_, import_item, upload
from leasehold_links.texts import tidy

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_links.data.database import Database

CHUNK_BYTES = 1_048_576
_SHOWN = 2_000


def create(
    connection: Connection,
    import_id: UUID,
    *,
    user_id: str,
    file_name: str,
    data: Iterable[bytes],
    now: datetime,
) -> int:
    """Write down a file that is to be imported; returns its size."""
    row = {
        "id": import_id,
        "user_id": user_id,
        "source_type": "chrome_html",
        "file_name": tidy(file_name, 200),
        "file_bytes": 0,
        "created_at": now,
    }
    connection.execute(insert(import_), row)
    size = 0
    for number, chunk in enumerate(data):
        given = {"import_id": import_id, "number": number, "chunk": chunk}
        connection.execute(insert(upload), given)
        size += len(chunk)
    changed = update(import_).where(import_.c.id == import_id).values(file_bytes=size)
    connection.execute(changed)
    return size


def get(connection: Connection, import_id: UUID) -> dict[str, Any] | None:
    found = connection.execute(select(import_).where(import_.c.id == import_id)).mappings().first()
    return None if found is None else dict(found)


def chunks(database: Database, import_id: UUID) -> Iterator[bytes]:
    """Read the file piece by piece, each by itself: a long read would keep SQLite's log growing."""
    number = 0
    while True:
        with database.read() as connection:
            piece = connection.scalar(
                select(upload.c.chunk).where(
                    upload.c.import_id == import_id, upload.c.number == number
                )
            )
        if piece is None:
            return
        yield bytes(piece)
        number += 1


def set_total(connection: Connection, import_id: UUID, total: int) -> None:
    connection.execute(update(import_).where(import_.c.id == import_id).values(total_items=total))


def add_counts(connection: Connection, import_id: UUID, counts: Counts) -> None:
    columns = import_.c
    connection.execute(
        update(import_)
        .where(columns.id == import_id)
        .values(
            imported_items=columns.imported_items + counts.imported,
            duplicate_items=columns.duplicate_items + counts.duplicate,
            skipped_items=columns.skipped_items + counts.skipped,
            failed_items=columns.failed_items + counts.failed,
        )
    )


def note_items(
    connection: Connection,
    import_id: UUID,
    lines: Sequence[Line],
    now: datetime,
    outcome: str = "skipped",
) -> None:
    """Remember lines that did not become links, and why."""
    rows = [
        {
            "import_id": import_id,
            "number": line.number,
            "outcome": outcome,
            "reason": line.reason,
            "url": tidy(line.bookmark.url, _SHOWN),
            "title": line.bookmark.title,
            "created_at": now,
        }
        for line in lines
    ]
    if rows:
        connection.execute(insert(import_item), rows)


def drop_file(connection: Connection, import_id: UUID) -> None:
    connection.execute(delete(upload).where(upload.c.import_id == import_id))
