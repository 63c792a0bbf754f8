"""Steps that come round again and again, each in its own time, with a little jitter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

JITTER = 0.25


@dataclass(slots=True)
class Round:
    """One step and how often it is due."""

    step: Callable[[], object]
    every_seconds: float
    due_at: float = float("-inf")


class Rounds:
    """Runs what is due. Jitter keeps a fleet of workers from doing the same at the same moment."""

    def __init__(
        self,
        rounds: Sequence[Round],
        *,
        clock: Callable[[], float],
        chance: Callable[[], float],
    ) -> None:
        self._rounds = rounds
        self._clock = clock
        self._chance = chance

    def run_due(self) -> None:
        """Run each step whose time has come. A step that raises is due again after its pause."""
        now = self._clock()
        for each in self._rounds:
            if each.due_at <= now:
                spread = 1 - JITTER + 2 * JITTER * self._chance()
                each.due_at = now + each.every_seconds * spread
                each.step()

    def seconds_to_next(self) -> float:
        """How long until something is due."""
        return max(0.0, min(each.due_at for each in self._rounds) - self._clock())
