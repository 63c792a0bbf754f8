"""What tests of syncs do again and again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select

import leasehold as lh
from leasehold.kit.data import Database, database_of
from leasehold_sync import syncing, tasks
from leasehold_sync.data.tables import entity


def sync(queue: lh.Client, app_key: str = "shop", **options: Any) -> dict[str, Any]:
    """Begin a sync and work until nothing can be done now; returns the job as it stands."""
    job_id = begin(queue, app_key, **options)
    work(queue)
    return look(queue, job_id)


def begin(queue: lh.Client, app_key: str = "shop", **options: Any) -> UUID:
    database = database_of(queue.url)
    started = syncing.start(queue, database, app_key, **{"mode": "full", **options})
    assert not started.deduplicated
    return started.job_id


def work(queue: lh.Client, **options: Any) -> Any:
    """Run a worker until nothing is left that may run now."""
    worker = lh.Worker(queue, tasks, slots=1, poll="100ms", grace="5s")
    return worker.run(**{"until_empty": True, **options})


def look(queue: lh.Client, job_id: UUID) -> dict[str, Any]:
    return syncing.status(queue, database_of(queue.url), job_id)


def counts(job: dict[str, Any], resource: str = "customers") -> tuple[int, int, int, int]:
    """Return what one task has counted: created, updated, unchanged, deleted."""
    (task,) = (each for each in job["tasks"] if each["resource_type"] == resource)
    return task["created"], task["updated"], task["unchanged"], task["deleted"]


def kept(
    database: Database, app_key: str = "shop", collections: Sequence[str] = ("customers",)
) -> list[str]:
    """List the external ids of what is there and not deleted, sorted."""
    wanted = select(entity.c.external_id).where(
        entity.c.app_key == app_key,
        entity.c.collection_key.in_(collections),
        entity.c.deleted_at.is_(None),
    )
    with database.read() as connection:
        return sorted(connection.scalars(wanted))


def rows_of(database: Database, names: Iterable[str]) -> list[tuple[Any, ...]]:
    """Read some columns of all entities, in one order."""
    wanted = select(*(entity.c[name] for name in names)).order_by(entity.c.external_id)
    with database.read() as connection:
        return [tuple(row) for row in connection.execute(wanted)]
