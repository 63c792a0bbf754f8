"""The job `sync.resource`: one resource of one app, read whole."""

from __future__ import annotations

import leasehold as lh
from leasehold_sync.running.attempt import Asked, Attempt
from leasehold_sync.running.limits import Limits
from leasehold_sync.settings import settings

QUEUE = "sync"
APP = lh.Throttle("sync", running=4)  # a 429 pauses an app's key; so many read one app at once


def resource_task(limits: Limits) -> lh.Task[[str, str, str], None]:
    """Make the task for a worker with these limits."""

    @lh.task(
        name="sync.resource",
        queue=QUEUE,
        max_attempts=3,
        retry=lh.delays("30s", "2m"),
        timeout="1h",  # it gives way to others long before
        lease=settings().silence,
        throttle=APP.by("app_key"),
        resumable=True,
        keep="ever",  # as long as its job: retaining.py
    )
    def sync_resource(app_key: str, resource: str, mode: str) -> None:
        Attempt(lh.current_job(), Asked(app_key, resource, mode), limits).run()

    return sync_resource


sync_resource = resource_task(Limits())
