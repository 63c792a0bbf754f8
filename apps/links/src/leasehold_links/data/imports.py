"""The rows of imports: the uploaded file, counts, and the lines that did not become links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import delete, insert, select, update

from leasehold_links.bookmarks.lines import Counts, Line
from leasehold_links.data.bulk import Bulk, moment_text
from leasehold_links.data.tables import import_, import_item, upload
from leasehold_links.texts import tidy

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_links.data.database import Database

CHUNK_BYTES = 1_048_576
_SHOWN = 2_000
_ITEM = ("import_id", "number", "outcome", "reason", "url", "title", "created_at")


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


def counts_of(row: dict[str, Any]) -> Counts:
    return Counts(*(row[f"{name}_items"] for name in Counts._fields))


def add_counts(bulk: Bulk, import_id: UUID, counts: Counts, *, to_total: int = 0) -> None:
    """Count lines; `to_total` is how many more there are than was thought."""
    amounts = {f"{name}_items": amount for name, amount in counts._asdict().items() if amount}
    if to_total:
        amounts["total_items"] = to_total
    if amounts:
        bulk.add(import_, str(import_id), amounts)


class Noted(NamedTuple):
    """What a line came to that did not become a link."""

    line: Line
    outcome: str  # duplicate, skipped, failed
    reason: str


def note_items(bulk: Bulk, import_id: UUID, noted: Sequence[Noted], now: datetime) -> None:
    """Remember lines that did not become links, and why."""
    said = moment_text(now)
    rows = [
        (
            str(import_id),
            line.number,
            outcome,
            reason,
            tidy(line.bookmark.url, _SHOWN),
            line.bookmark.title,
            said,
        )
        for line, outcome, reason in noted
    ]
    if rows:
        bulk.insert_new(import_item, _ITEM, rows)


def has_file(connection: Connection, import_id: UUID) -> bool:
    found = select(upload.c.number).where(upload.c.import_id == import_id).limit(1)
    return connection.scalar(found) is not None


def drop_file(connection: Connection, import_id: UUID) -> None:
    connection.execute(delete(upload).where(upload.c.import_id == import_id))
