"""The rows of imports: the uploaded file, counts, and the lines that did not become links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import delete, func, insert, select, text, update

from leasehold.kit.data import Bulk, moment_text
from leasehold.kit.texts import tidy
from leasehold_links.bookmarks.lines import Counts, Line
from leasehold_links.data.tables import import_, import_item, upload

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold.kit.data import Database

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


_NEWEST = text("""
SELECT
  v.id, i.file_name AS file, v.status, v.total_items AS total, v.processed_items AS processed,
  i.imported_items AS imported, i.duplicate_items AS duplicate, i.skipped_items AS skipped,
  v.failed_items AS failed, v.created_at, v.started_at, v.finished_at, v.last_error AS error
FROM import_jobs AS v
JOIN links_import AS i ON i.id = v.id
WHERE v.user_id = :user_id
ORDER BY v.id DESC
LIMIT :most
""")


def newest(connection: Connection, user_id: str, most: int) -> list[dict[str, Any]]:
    """List somebody's imports as they stand, the newest first."""
    found = connection.execute(_NEWEST, {"user_id": user_id, "most": most}).mappings()
    return [dict(row) for row in found]


def count_reasons(connection: Connection, import_id: UUID) -> dict[str, int]:
    """Count the lines that did not become links by why, the most frequent first."""
    count = func.count().label("count")
    found = connection.execute(
        select(import_item.c.reason, count)
        .where(import_item.c.import_id == import_id)
        .group_by(import_item.c.reason)
        .order_by(count.desc(), import_item.c.reason)
    )
    return {reason: int(amount) for reason, amount in found}


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
