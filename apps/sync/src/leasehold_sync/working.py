"""A run of a worker inside a time: what `POST /worker` and `leasehold-sync work` do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

import leasehold as lh
from leasehold_sync.data import runs
from leasehold_sync.running.limits import Limits
from leasehold_sync.running.task import resource_task
from leasehold_sync.tasks import begin, retain

if TYPE_CHECKING:
    from leasehold.kit.data import Database

# Of the 50 s that a function has: from 45 s on nothing is begun, at 49 s it has ended.
BUDGET_SECONDS = 45.0
_GRACE_SHARE = 4 / 45
_REASONS = {
    "empty": "no_pending_tasks",
    "budget": "time_limit",
    "abandoned": "time_limit",
    "max_jobs": "max_tasks",
    "stopped": "stopped",
}


class WorkReport(NamedTuple):
    """What a run came to."""

    tasks_processed: int  # that it worked at
    jobs_completed: int
    duration_ms: int
    shutdown_reason: str


class Run:
    """Takes tasks one at a time until none is left or the time is over."""

    def __init__(
        self,
        client: lh.Client,
        database: Database,
        *,
        job_id: UUID | None = None,
        max_tasks: int | None = None,
        budget_seconds: float = BUDGET_SECONDS,
    ) -> None:
        self._client = client
        self._database = database
        self._job_id = job_id
        self._max_tasks = max_tasks
        grace = budget_seconds * _GRACE_SHARE
        self._whole_seconds = budget_seconds + grace
        self._limits = Limits(self._whole_seconds)
        self._worker = lh.Worker(
            client,
            [resource_task(self._limits), begin, retain],
            slots=1,
            grace=grace,
            poll="200ms",
            name=None,
        )

    def run(self) -> WorkReport:
        """Work until the end; blocks."""
        started = time.monotonic()
        report = self._worker.run(
            budget=self._whole_seconds, max_jobs=self._max_tasks, batch=self._job_id
        )
        return WorkReport(
            tasks_processed=len(self._limits.tasks),
            jobs_completed=self._count_completed(),
            duration_ms=round(1000 * (time.monotonic() - started)),
            shutdown_reason=_REASONS[report.reason],
        )

    def stop(self, *, within: float | None = None) -> None:
        """End it, from any thread: what runs hands itself back with its cursor."""
        self._worker.stop(within=within)

    def _count_completed(self) -> int:
        touched = sorted(set(self._limits.tasks.values()))
        if not touched:
            return 0
        with self._database.browse() as connection:
            found = runs.statuses(connection, touched)
        return sum(status == "completed" for status in found.values())
