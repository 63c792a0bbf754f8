"""The thread that follows the settings: which memory is worked at, and what is due in it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from leasehold_memory.companion.health import pause_reasons
from leasehold_memory.deriving.failing import AUTH, DOWN, LIMITED, MODEL
from leasehold_memory.opening import Memory

if TYPE_CHECKING:
    from leasehold_memory.companion.holding import Holding
    from leasehold_memory.companion.switching import Active
    from leasehold_memory.companion.working import Working
    from leasehold_memory.model.presets import ModelPreset
    from leasehold_memory.settings import Settings

Check: TypeAlias = Callable[[Memory, datetime], object]
WAITS_FOR_MODEL = {AUTH, DOWN, LIMITED}
_logger = logging.getLogger("leasehold_memory.companion")


class Follower:
    """Does what the settings ask for, again and again; what can't be done is among `reasons`."""

    def __init__(
        self,
        settings: Settings,
        holding: Holding,
        active: Active,
        working: Working,
        check: Check,
        *,
        check_seconds: float,
        look_seconds: float,
    ) -> None:
        self._settings = settings
        self._holding = holding
        self._active = active
        self._working = working
        self._check = check
        self._check_seconds = check_seconds
        self._look_seconds = look_seconds
        self._snapshot = settings.current()
        self._tried: tuple[Memory, ModelPreset] | None = None
        self._check_at = 0.0  # on this process's clock, which no change of the time moves
        self.reasons: frozenset[str] = frozenset()

    def run(self, ending: threading.Event) -> None:
        """Follow until the end; then nobody works any more."""
        while not ending.is_set():
            revision = self._settings.revision
            self.step()
            self._settings.wait_for_change(revision, self._look_seconds, ending.is_set)
        self._working.stop()

    def step(self) -> None:
        """Do whatever is to be done now, each for itself."""
        acts = {
            "settings_unreadable": self._look,
            "preset_unusable": self._switch,
            "worker_stopped": self._work,
            "model_paused": self._try_other_model,
            "check_failed": self._check_due,
        }
        self.reasons = frozenset(
            reason for reason, act in acts.items() if not self._does(reason, act)
        )
        self._holding.close_unused()

    def _does(self, reason: str, act: Callable[[], None]) -> bool:
        try:
            act()
        except Exception:  # whatever it is, the rest goes on, and this is tried again
            if reason not in self.reasons:
                _logger.exception("companion can't go on", extra={"reason": reason})
            return False
        return True

    def _look(self) -> None:
        """Read the settings, once for each step: there is one every second."""
        self._snapshot = self._settings.current()

    def _switch(self) -> None:
        if self._snapshot.embedding != self._active.memory.preset:
            self._active.follow()

    def _work(self) -> None:
        is_enabled = self._snapshot.memory_enabled
        self._working.follow(self._active.memory if is_enabled else None)

    def _try_other_model(self) -> None:
        """Let jobs begin that wait for a model: it is another one now, or has another key."""
        tried = self._active.memory, self._snapshot.model
        if tried == self._tried:
            return
        if pause_reasons(tried[0]) & WAITS_FOR_MODEL:
            tried[0].client.throttles.resume(MODEL)
        self._tried = tried

    def _check_due(self) -> None:
        """Enqueue what is due, at the first look at a memory and then every so often."""
        if self._working.memory is None or time.monotonic() < self._check_at:
            return
        self._check(self._working.memory, datetime.now(UTC))
        self._check_at = time.monotonic() + self._check_seconds
