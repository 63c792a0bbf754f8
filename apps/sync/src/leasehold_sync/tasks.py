"""The jobs of the application: read a resource, begin a sync by schedule, forget old jobs."""

from __future__ import annotations

import leasehold as lh
from leasehold.kit.data import database_of
from leasehold_sync import retaining, syncing
from leasehold_sync.apps import BEGIN
from leasehold_sync.running.task import QUEUE, sync_resource

__all__ = ["begin", "daily", "retain", "sync_resource"]


@lh.task(name=BEGIN, queue=QUEUE, max_attempts=3, timeout="1m")
def begin(app_key: str, mode: str = "incremental") -> str:
    """Begin a sync of an app, as its schedule says; one that is under way stays."""
    client = lh.current_job().client
    started = syncing.start(
        client, database_of(client.url), app_key, mode=mode, created_by="schedule"
    )
    return str(started.job_id)


@lh.task(name="sync.retention", queue=QUEUE, timeout="1h")
def retain(days: int = retaining.DAYS) -> int:
    """Forget jobs that have ended long ago."""
    client = lh.current_job().client
    return retaining.clean(client, database_of(client.url), days=days)


daily = lh.schedule("sync.retention", "@daily", retain, jitter="1h")
