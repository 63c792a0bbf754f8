"""Retention: what the library forgets, in short steps beside everything else that goes on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from leasehold_links.data import keeping

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold.kit.data import Database

ROBOTS = timedelta(hours=24)
ITEMS = timedelta(days=90)
SUPERSEDED = timedelta(days=30)


def retain(job: Any, database: Database) -> dict[str, int]:
    """Forget all that is past its time; returns how many rows of each went."""
    now = datetime.now(UTC)
    return {
        "canonicals": _drop_canonicals(job, database),
        "robots": _repeat(job, database, lambda c: keeping.drop_robots(c, now - ROBOTS)),
        "items": _repeat(job, database, lambda c: keeping.drop_items(c, now - ITEMS)),
        "uploads": _repeat(job, database, keeping.drop_uploads),
        "enrichments": _drop_superseded(job, database, now - SUPERSEDED),
    }


def _repeat(job: Any, database: Database, step: Callable[[Connection], int]) -> int:
    """Take steps until there is nothing left to do."""
    total = 0
    while True:
        job.check()
        with database.write() as connection:
            gone = step(connection)
        total += gone
        if not gone:
            return total


def _drop_canonicals(job: Any, database: Database) -> int:
    """Forget links of nobody, and their jobs.

    Which jobs those are is saved with the deletion, so that a worker that is killed in between
    leaves it to the next one.
    """
    job_ids = job.cursor or []
    total = 0
    while True:
        job.check()
        job.client.delete_these(job_ids)
        with database.write() as connection:
            gone = keeping.drop_canonicals(connection)
            job_ids = [str(each) for each in gone if each is not None]
            job.checkpoint(job_ids, done=total + len(gone), on=connection)
        total += len(gone)
        if not gone:
            return total


def _drop_superseded(job: Any, database: Database, before: datetime) -> int:
    total = 0
    while True:
        job.check()
        with database.read() as connection:
            job_ids = keeping.find_superseded(connection, before)
        gone: int = job.client.delete_these(job_ids).changed
        total += gone
        if not gone:
            return total
