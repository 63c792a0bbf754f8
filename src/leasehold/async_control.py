"""`client.throttles`, `queues` and their like for asyncio: the same verbs, awaited, in threads."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.control import DRAIN_LOOK_SECONDS, running_in
from leasehold.model.durations import Duration, seconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from leasehold.control import Queues, Shares, Throttles
    from leasehold.keeping import Retentions
    from leasehold.model.keeping import Keep, Retention
    from leasehold.model.lanes import QueueInfo, ShareInfo, ThrottleInfo
    from leasehold.model.values import QueueCounts
    from leasehold.task import Task


class AsyncThrottles:
    """A throttle's name is a rule, as "domain", or one key of it: see `Throttles`."""

    def __init__(self, throttles: Throttles) -> None:
        self._throttles = throttles

    async def list(self, *, tenant: str | None = None) -> list[ThrottleInfo]:
        """List the rules, and the keys that have limits of their own or a pause."""
        return await asyncio.to_thread(self._throttles.list, tenant=tenant)

    async def set(
        self,
        name: str,
        *,
        running: int | msgspec.UnsetType | None = msgspec.UNSET,
        per_worker: int | msgspec.UnsetType | None = msgspec.UNSET,
        rate: float | msgspec.UnsetType | None = msgspec.UNSET,
        per: Duration = "1s",
        burst: float | None = None,
        tenant: str | None = None,
        by: str | None = None,
    ) -> None:
        """Change limits, from the next claim on; see `Throttles.set`."""
        await asyncio.to_thread(
            self._throttles.set,
            name,
            running=running,
            per_worker=per_worker,
            rate=rate,
            per=per,
            burst=burst,
            tenant=tenant,
            by=by,
        )

    async def reset(self, name: str, *, tenant: str | None = None) -> bool:
        """Let a key have its rule's limits again, a rule those of the next worker's code."""
        return await asyncio.to_thread(self._throttles.reset, name, tenant=tenant)

    async def pause(
        self,
        name: str,
        *,
        until: datetime | Duration | None = None,
        reason: str = "",
        tenant: str | None = None,
        by: str | None = None,
    ) -> None:
        """Start none of its jobs until then, or until it is resumed."""
        await asyncio.to_thread(
            self._throttles.pause, name, until=until, reason=reason, tenant=tenant, by=by
        )

    async def resume(self, name: str, *, tenant: str | None = None) -> bool:
        """End a pause; False when it was not paused."""
        return await asyncio.to_thread(self._throttles.resume, name, tenant=tenant)

    async def refill(self, name: str, *, tenant: str | None = None) -> bool:
        """Forget what a key has used up of its rate."""
        return await asyncio.to_thread(self._throttles.refill, name, tenant=tenant)


class AsyncShares:
    """Shares whose turns count more than once."""

    def __init__(self, shares: Shares) -> None:
        self._shares = shares

    async def list(self) -> list[ShareInfo]:
        """List the shares that have a weight or jobs waiting."""
        return await asyncio.to_thread(self._shares.list)

    async def set(self, name: str, *, weight: int, by: str | None = None) -> None:
        """Let a share start so many jobs for each one of another share; 1 is usual."""
        await asyncio.to_thread(self._shares.set, name, weight=weight, by=by)


class AsyncQueues:
    """Queues as all workers see them."""

    def __init__(self, queues: Queues, counts: Callable[[], list[QueueCounts]]) -> None:
        self._queues = queues
        self._counts = counts

    async def list(self) -> list[QueueInfo]:
        """List the queues that somebody has paused or given a limit or an aging."""
        return await asyncio.to_thread(self._queues.list)

    async def pause(
        self,
        name: str,
        *,
        until: datetime | Duration | None = None,
        reason: str = "",
        by: str | None = None,
    ) -> None:
        """Let no worker start a job of it until then, or until it is resumed; enqueue goes on."""
        await asyncio.to_thread(self._queues.pause, name, until=until, reason=reason, by=by)

    async def resume(self, name: str) -> bool:
        """End a pause; False when it was not paused."""
        return await asyncio.to_thread(self._queues.resume, name)

    async def drain(
        self,
        name: str,
        *,
        timeout: Duration = "5m",  # noqa: ASYNC109 - ends the wait with an answer, not an error
        reason: str = "",
        by: str | None = None,
    ) -> int:
        """Pause it, and wait until none of its jobs runs; returns how many still do.

        The wait is the loop's, not a thread's: cancelled, it ends at once, and the pause stays.
        """
        deadline = time.monotonic() + seconds(timeout, name="timeout")
        await self.pause(name, reason=reason, by=by)
        while True:
            running = running_in(name, await asyncio.to_thread(self._counts))
            left = deadline - time.monotonic()
            if running == 0 or left <= 0:
                return running
            await asyncio.sleep(min(DRAIN_LOOK_SECONDS, left))

    async def limit(self, name: str, *, running: int, by: str | None = None) -> None:
        """Let at most so many of its jobs run at once, in all workers; 0: none."""
        await asyncio.to_thread(self._queues.limit, name, running=running, by=by)

    async def unlimit(self, name: str) -> bool:
        """Let as many of its jobs run as workers have slots; False when it had no limit."""
        return await asyncio.to_thread(self._queues.unlimit, name)

    async def set(self, name: str, *, aging: Duration | None) -> None:
        """Let a job gain a point of priority each time it has waited so long; None: never."""
        await asyncio.to_thread(self._queues.set, name, aging=aging)


class AsyncRetentions:
    """What is said about keeping jobs: for all, for a queue's, for a task's."""

    def __init__(self, retentions: Retentions) -> None:
        self._retentions = retentions

    async def list(self) -> list[Retention]:
        """List what is said: for all jobs, then by queue, then by task."""
        return await asyncio.to_thread(self._retentions.list)

    async def of(self, *, queue: str, task: str | Task[..., Any] | None = None) -> Keep:
        """Say how many seconds a job of this queue and task is kept, by how it ended."""
        return await asyncio.to_thread(self._retentions.of, queue=queue, task=task)

    async def set(
        self,
        *,
        queue: str | None = None,
        task: str | Task[..., Any] | None = None,
        keep: Duration | None = None,
        dead: Duration | None = None,
        cancelled: Duration | None = None,
        by: str | None = None,
    ) -> None:
        """Say how long ended jobs are kept, "ever" for always; see `Retentions.set`."""
        await asyncio.to_thread(
            self._retentions.set,
            queue=queue,
            task=task,
            keep=keep,
            dead=dead,
            cancelled=cancelled,
            by=by,
        )

    async def reset(
        self, *, queue: str | None = None, task: str | Task[..., Any] | None = None
    ) -> bool:
        """Forget what was set; False when nothing was."""
        return await asyncio.to_thread(self._retentions.reset, queue=queue, task=task)
