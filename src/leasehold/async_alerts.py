"""`client.alerts` for asyncio: the same verbs, awaited, in threads."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.alerts import Alerts
    from leasehold.model.alerts import Alert, Mute
    from leasehold.model.durations import Duration


class AsyncAlerts:
    """What fires, in all processes that watch this store."""

    def __init__(self, alerts: Alerts) -> None:
        self._alerts = alerts

    async def list(self, *, firing: bool = False) -> list[Alert]:
        """List what fires, the newest first, then what cleared in the last week, if wanted."""
        return await asyncio.to_thread(self._alerts.list, firing=firing)

    async def mute(self, name: str, duration: Duration, *, by: str | None = None) -> Mute:
        """Tell nobody of a rule's alerts for a time; what still fires then is told."""
        return await asyncio.to_thread(self._alerts.mute, name, duration, by=by)

    async def unmute(self, name: str) -> bool:
        """Tell of them again; False when it was not muted."""
        return await asyncio.to_thread(self._alerts.unmute, name)

    async def mutes(self) -> Sequence[Mute]:
        """List the rules that are muted now."""
        return await asyncio.to_thread(self._alerts.mutes)
