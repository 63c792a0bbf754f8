"""Workers of the application: one that stays, and runs for where nothing runs all the time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import leasehold as lh
from leasehold_documents import tasks
from leasehold_documents.model.jobs import IMPORT_QUEUE

AT_ONCE = 4  # extractions in one process: each has a parser of its own beside it
IMPORTS_AT_ONCE = 4  # they wait for others' servers
BUDGET_SECONDS = 45.0  # of the minute that a cron job's request has


def make_worker(
    client: lh.Client,
    *,
    at_once: int = AT_ONCE,
    observers: Sequence[lh.Observer] = (),
    lease: float = 60.0,
    poll: float = 1.0,
    grace: float = 25.0,
    name: str | None = None,
) -> lh.Worker:
    """Make a worker for all jobs; it looks each second, and is woken by new ones."""
    found = lh.Registry(tasks)
    queues = {task.options.queue for task in found}
    slots = dict.fromkeys(queues, at_once)
    if IMPORT_QUEUE in slots:
        slots[IMPORT_QUEUE] = IMPORTS_AT_ONCE
    return lh.Worker(
        client,
        found,
        slots=slots,
        lease=lease,
        poll=poll,
        grace=grace,
        name=name,
        observers=list(observers),
    )


class Ticked(NamedTuple):
    """What a run came to: how many jobs it worked at, and how many of them are done."""

    jobs: int
    done: int
    duration_ms: int


class Tick:
    """One run for an outside cron: a single job, or as many as fit into the budget."""

    def __init__(
        self, client: lh.Client, *, drain: bool, budget_seconds: float = BUDGET_SECONDS
    ) -> None:
        self._budget_seconds = budget_seconds if drain else None
        self._max_jobs = None if drain else 1
        slots = AT_ONCE if drain else 1
        grace = min(5.0, budget_seconds / 9)
        self._worker = lh.Worker(client, tasks, slots=slots, poll="200ms", grace=grace, name="tick")

    def run(self) -> Ticked:
        """Work until there is nothing to do now, or the job or the time is over; blocks."""
        started = time.monotonic()
        report = self._worker.run(
            until_empty=True, budget=self._budget_seconds, max_jobs=self._max_jobs
        )
        settled = report.succeeded + report.failed + report.dead + report.cancelled
        return Ticked(
            jobs=settled + report.snoozed + report.released,
            done=report.succeeded,
            duration_ms=round(1000 * (time.monotonic() - started)),
        )

    def stop(self, *, within: float | None = None) -> None:
        """End it, from any thread: what runs is handed back."""
        self._worker.stop(within=within)


def tick(client: lh.Client, *, drain: bool, budget_seconds: float = BUDGET_SECONDS) -> Ticked:
    """Run one job, or with `drain` all that can be done within 45 s."""
    return Tick(client, drain=drain, budget_seconds=budget_seconds).run()
