"""The end of a scan: what it did not see is gone, and the next sync goes on from its start."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from leasehold_sync.data import seen, states
from leasehold_sync.model.deletions import check_deletion
from leasehold_sync.settings import settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_sync.model.scans import Scan
    from leasehold_sync.running.reading import Source


class Finish(NamedTuple):
    """What the end came to; `unchanged` is exact, also where objects were seen twice."""

    unchanged: int
    deleted: int
    note: str | None  # why nothing was deleted


def finish(
    connection: Connection, source: Source, scan: Scan, *, scan_id: UUID, run_id: UUID, force: bool
) -> Finish:
    """Mark what is gone, unless that is suspiciously much: `MassDelete`, and roll back."""
    now = datetime.now(UTC)
    seen.join_by_hash(connection)
    note = scan.why_not_delete()
    if note is None:
        app, resource = source.app, source.resource
        among = seen.Among(app.app_key, resource.collections, app.sync_from)
        _, gone, unchanged = found = seen.compare(connection, scan_id, run_id, among)
        if not force:
            check_deletion(gone, found.live, resource.name)
        if gone:
            seen.delete_unseen(connection, scan_id, run_id, among, now)
    else:
        gone, unchanged = 0, seen.count_unchanged(connection, scan_id, run_id)
    seen.forget(connection, scan_id)
    _move_on(connection, source, scan, run_id, now)
    is_news = note is not None and scan.since is None
    return Finish(unchanged, gone, note if is_news else None)


def _move_on(
    connection: Connection, source: Source, scan: Scan, run_id: UUID, now: datetime
) -> None:
    """Let the next incremental sync begin before this one did: clocks differ, pages are late."""
    overlap = timedelta(seconds=settings().overlap)
    states.put(
        connection,
        source.app.app_key,
        source.resource.name,
        synced_to=scan.started_at - overlap,
        run_id=run_id,
        now=now,
    )
