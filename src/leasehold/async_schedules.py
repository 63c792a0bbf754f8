"""`client.schedules` for asyncio: the same verbs, awaited, in threads."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime, timedelta
    from typing import Unpack

    from leasehold.model.ids import JobId
    from leasehold.model.schedules import ScheduleInfo
    from leasehold.options import JobOptions
    from leasehold.schedules import Schedules
    from leasehold.scheduling import Timing
    from leasehold.task import Call, Task


class AsyncSchedules:
    """Each schedule has a name, within its tenant."""

    def __init__(self, schedules: Schedules) -> None:
        self._schedules = schedules

    async def list(self, *, tenant: str | None = None) -> list[ScheduleInfo]:
        """List the schedules of one tenant or of all, each with its last and its next run."""
        return await asyncio.to_thread(self._schedules.list, tenant=tenant)

    async def get(self, name: str, *, tenant: str = "") -> ScheduleInfo:
        """Return one schedule, else `ScheduleNotFound`."""
        return await asyncio.to_thread(self._schedules.get, name, tenant=tenant)

    async def set(
        self,
        name: str,
        rule: str | timedelta | float,
        work: Task[..., Any] | Call | str,
        args: Mapping[str, Any] | None = None,
        *,
        options: JobOptions | None = None,
        by: str | None = None,
        **timing: Unpack[Timing],
    ) -> ScheduleInfo:
        """Make a schedule, or change one; see `Schedules.set`."""
        return await asyncio.to_thread(
            self._schedules.set, name, rule, work, args, options=options, by=by, **timing
        )

    async def change(
        self,
        name: str,
        *,
        rule: str | timedelta | float | None = None,
        tenant: str = "",
        by: str | None = None,
        **timing: Unpack[Timing],
    ) -> ScheduleInfo:
        """Change when it fires; what is not named, and its job, stay as they are."""
        return await asyncio.to_thread(
            self._schedules.change, name, rule=rule, tenant=tenant, by=by, **timing
        )

    async def pause(self, name: str, *, tenant: str = "", by: str | None = None) -> bool:
        """Fire it no more until it is resumed; False when it was paused already."""
        return await asyncio.to_thread(self._schedules.pause, name, tenant=tenant, by=by)

    async def resume(self, name: str, *, tenant: str = "") -> bool:
        """Go on with the next slot, not with those of the pause; False when it was not paused."""
        return await asyncio.to_thread(self._schedules.resume, name, tenant=tenant)

    async def run_now(self, name: str, *, tenant: str = "") -> JobId:
        """Enqueue its job now, also when it is paused; its slots stay as they are."""
        return await asyncio.to_thread(self._schedules.run_now, name, tenant=tenant)

    async def delete(self, name: str, *, tenant: str = "") -> bool:
        """Delete it, not its jobs; False when it is not there."""
        return await asyncio.to_thread(self._schedules.delete, name, tenant=tenant)

    async def preview(
        self, name: str, count: int = 10, *, tenant: str = "", after: datetime | None = None
    ) -> Sequence[datetime]:
        """List its next slots, in UTC, whether it is paused or not."""
        return await asyncio.to_thread(
            self._schedules.preview, name, count, tenant=tenant, after=after
        )
