"""Retention: ended jobs go, entities never do, and an app's newest job stays."""

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
    return total


def _drop(client: lh.Client, database: Database, run_id: UUID) -> None:
    """First the queue's jobs, then our rows: who is killed in between leaves it to the next one."""
    with database.read() as connection:
        members = runs.task_ids(connection, run_id)
    client.delete_these(members)
    with database.write() as connection:
        runs.forget(connection, run_id)
