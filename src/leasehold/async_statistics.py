"""`client.stats` for asyncio: the same verbs, awaited, in threads."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold.model.durations import Duration
    from leasehold.model.failures import FailureGroup
    from leasehold.model.ids import JobId
    from leasehold.model.statistics import Overview, Point, Total
    from leasehold.statistics import Stats


class AsyncStats:
    """What workers have counted, in all queues and for all tenants. Windows are a week at most."""

    def __init__(self, stats: Stats) -> None:
        self._stats = stats

    async def overview(self, window: Duration = "1h") -> Overview:
        """Say how it stands now, and what happened in the window before."""
        return await asyncio.to_thread(self._stats.overview, window)

    async def series(
        self, window: Duration = "1h", *, queue: str | None = None, kind: str | None = None
    ) -> list[Point]:
        """List what happened in even steps, the oldest first; see `Stats.series`."""
        return await asyncio.to_thread(self._stats.series, window, queue=queue, kind=kind)

    async def failures(self, since: Duration = "24h", *, limit: int = 50) -> list[FailureGroup]:
        """Group the newest attempts that did not end well by what went wrong."""
        return await asyncio.to_thread(self._stats.failures, since, limit=limit)

    async def dead_of(
        self, kind: str, error: str, message: str, *, since: Duration = "24h"
    ) -> list[JobId]:
        """Name the jobs of one group of `failures` that are dead now."""
        return await asyncio.to_thread(self._stats.dead_of, kind, error, message, since=since)

    async def totals(self) -> list[Total]:
        """Say how often each fact was counted ever, by queue and kind; no number gets less."""
        return await asyncio.to_thread(self._stats.totals)
