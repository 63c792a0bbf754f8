"""Workers: who is there, and what each runs now."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from leasehold.model.states import State
from leasehold.web.dashboard.looks import Look, Page
from leasehold.web.dashboard.sections import Section

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Job

SILENT = timedelta(seconds=60)  # four heartbeats
MOST_RUNNING = 500
EACH_RUNNING = 12
section = Section()


@section.page("/workers")
def show(look: Look) -> Page:
    """List workers, the living ones first, each with its jobs."""
    workers = look.client.workers()
    oldest = look.now - SILENT
    silent = {each.id for each in workers if each.seen_at is None or each.seen_at < oldest}
    running = look.client.find(state=State.RUNNING, limit=MOST_RUNNING)
    values = {
        "workers": sorted(workers, key=lambda each: (each.id in silent, each.name, each.id)),
        "silent": silent,
        "running": _by_worker(running),
        "most": EACH_RUNNING,
        "is_cut": len(running) == MOST_RUNNING,
    }
    return Page(template="workers.html", title="Workers", values=values)


def _by_worker(jobs: list[Job]) -> dict[WorkerId, list[Job]]:
    found: dict[WorkerId, list[Job]] = {}
    for job in jobs:
        if job.worker is not None:
            found.setdefault(job.worker, []).append(job)
    return found
