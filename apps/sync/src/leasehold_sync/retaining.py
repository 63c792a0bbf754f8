"""Retention: ended jobs go, entities never do, and an app's newest job stays.

Who was killed while it began a sync has left a batch that nobody closes: that is done here, too.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from leasehold_sync.data import runs, seen

if TYPE_CHECKING:
    from uuid import UUID

    import leasehold as lh
    from leasehold.kit.data import Database

DAYS = 7
UNHAPPY_DAYS = 30  # failed and cancelled ones: somebody may want to look, or to retry
_STEP = 100
_LONG_AGO = timedelta(hours=1)  # no sync takes that long to begin


def clean(client: lh.Client, database: Database, *, days: float = DAYS) -> int:
    """Take away the jobs that have ended so many days ago; returns how many."""
    now = datetime.now(UTC)
    unhappy = now - timedelta(days=max(days, UNHAPPY_DAYS))
    before = {"completed": now - timedelta(days=days), "failed": unhappy, "cancelled": unhappy}
    total = 0
    while True:
        with database.browse() as connection:
            found = runs.outdated(connection, before, _STEP)
        for run_id in found:
            _drop(client, database, run_id)
        total += len(found)
        if len(found) < _STEP:
            break
    with database.write() as connection:
        seen.sweep(connection, now - timedelta(days=1))
    close_left_open(client, database, now - _LONG_AGO)
    return total


def close_left_open(client: lh.Client, database: Database, before: datetime) -> None:
    """Seal the batches of syncs that were begun, and cancel those that have no sync."""
    last: UUID | None = None
    while found := client.batches.list(status="open", before=last, limit=_STEP):
        last = found[-1].id
        left = [each.id for each in found if each.created_at < before and is_sync(each)]
        with database.read() as connection:
            known = runs.known(connection, left)
        for batch_id in left:
            if batch_id in known:
                client.batches.seal(batch_id)
            else:
                client.batches.cancel(batch_id, by="its sync was never begun")


def is_sync(batch: lh.BatchInfo) -> bool:
    return {"app_key", "mode", "resource_types"} <= batch.meta.keys()


def _drop(client: lh.Client, database: Database, run_id: UUID) -> None:
    """First the queue's jobs, then our rows: who is killed in between leaves it to the next one."""
    with database.read() as connection:
        members = runs.task_ids(connection, run_id)
    client.delete_these(members)
    with database.write() as connection:
        runs.forget(connection, run_id)
