"""The worker that is embedded in the companion: at one memory at a time, or at none."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

import leasehold as lh

if TYPE_CHECKING:
    from leasehold_memory.companion.holding import Holding
    from leasehold_memory.opening import Memory

Tasks: TypeAlias = ModuleType | Sequence[lh.Task[..., Any]]
SLOTS = 4  # a chat in the same process comes first
_logger = logging.getLogger("leasehold_memory.companion")


class Working:
    """Follows what is asked for. One thread asks; any may look."""

    def __init__(self, holding: Holding, tasks: Tasks, *, drain_seconds: float) -> None:
        self._holding = holding
        self._tasks = tasks
        self._drain_seconds = drain_seconds
        self._worker: lh.Worker | None = None
        self.memory: Memory | None = None

    def follow(self, wanted: Memory | None) -> None:
        """Work at this memory from now on.

        What runs for another one may end within the drain; then it is handed back, to wait in its
        own file until that one is active again.
        """
        if wanted is self.memory:
            return
        self.stop()
        if wanted is not None:
            self._start(wanted)

    def stop(self) -> None:
        """Work at none. Safe twice."""
        worker, memory = self._worker, self.memory
        if worker is None or memory is None:
            return
        try:
            worker.stop(within=self._drain_seconds)
        finally:  # until then it may still take a job
            self._worker = self.memory = None
            self._holding.give_back(memory)
        _logger.info("worker stopped", extra={"preset": memory.preset.id})

    def _start(self, memory: Memory) -> None:
        worker = lh.Worker(memory.client, self._tasks, slots=SLOTS, grace=self._drain_seconds)
        self._holding.take_again(memory)
        try:
            worker.__enter__()
        except BaseException:
            self._holding.give_back(memory)
            raise
        self._worker, self.memory = worker, memory
        _logger.info("worker started", extra={"preset": memory.preset.id})
