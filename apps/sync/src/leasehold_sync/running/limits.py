"""How long a page may take: what a run of a worker has left, and never more than the setting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from uuid import UUID

from leasehold_sync.settings import settings

_MARGIN_SECONDS = 0.3  # to settle what was read; of a short run a hundredth
_SHORTEST_SECONDS = 0.01


class Limits:
    """Of one run of a worker, or of none: then only the setting counts."""

    def __init__(
        self, seconds: float = float("inf"), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._ends_at = clock() + seconds - min(_MARGIN_SECONDS, seconds / 100)
        self._page_seconds = settings().page
        self._lock = threading.Lock()
        self.tasks: dict[UUID, UUID] = {}  # that were run, and their jobs

    def page_seconds(self) -> float:
        """Say how long a page may take that is asked for now."""
        left = self._ends_at - self._clock()
        return min(self._page_seconds, max(left, _SHORTEST_SECONDS))

    @property
    def is_short(self) -> bool:
        """Whether a page asked for now gets less time than it may need."""
        return self.page_seconds() < self._page_seconds

    def note(self, task_id: UUID, run_id: UUID) -> None:
        """Take note of a task that is run."""
        with self._lock:
            self.tasks[task_id] = run_id
