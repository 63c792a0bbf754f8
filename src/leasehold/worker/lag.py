"""How late the event loop of async handlers is: a handler that blocks it makes all others wait."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

EVERY_SECONDS = 1.0


class LagProbe:
    """A timer on the loop that tells how much too late it was called."""

    def __init__(self, loop: asyncio.AbstractEventLoop, tell: Callable[[float], None]) -> None:
        self._loop = loop
        self._tell = tell
        self._due_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._is_stopped = False

    def start(self) -> None:
        self._loop.call_soon_threadsafe(self._arm)

    def stop(self) -> None:
        """Safe twice, and when the loop is gone."""
        self._is_stopped = True
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._disarm)

    def _arm(self) -> None:
        if not self._is_stopped:
            self._due_at = time.monotonic() + EVERY_SECONDS
            self._timer = self._loop.call_later(EVERY_SECONDS, self._look)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _look(self) -> None:
        self._tell(max(0.0, time.monotonic() - self._due_at))
        self._arm()
