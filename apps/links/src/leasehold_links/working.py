"""A worker of the library alone."""

from __future__ import annotations

from collections.abc import Sequence

import leasehold as lh
from leasehold_links import tasks
from leasehold_links.telling import EnrichmentLog

AT_ONCE = 10  # enrichments in one process
_OTHERS_AT_ONCE = 2  # imports, and whatever else there is to do


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
    """Make a worker for all jobs of the library; it logs what becomes of enrichments."""
    found = lh.Registry(tasks)
    queues = {task.options.queue for task in found}
    slots = dict.fromkeys(queues, _OTHERS_AT_ONCE) | {tasks.enrich.options.queue: at_once}
    return lh.Worker(
        client,
        found,
        slots=slots,
        lease=lease,
        poll=poll,
        grace=grace,
        name=name,
        observers=[EnrichmentLog(), *observers],
    )


def set_limit(client: lh.Client, running: int, *, by: str) -> None:
    """Let so many requests be under way at once for each domain, in all processes."""
    client.throttles.set(tasks.DOMAIN.name, running=running, by=by)
