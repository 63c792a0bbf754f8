"""What one run was asked for: until when, how many, of which batch. And what it may claim now."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from leasehold.errors import BadOption
from leasehold.model.values import Only
from leasehold.worker.durations import Durations

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from leasehold.model.ids import JobId

LONGEST_RESERVE_SECONDS = 5.0
SHORTEST_RESERVE_SECONDS = 0.25
RESERVE_SHARE = 8  # an eighth of the budget, within these bounds, and half of it at most
LONG_SHARE = 4  # what is too long for the budget gets a quarter of the slots


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """A run's time, by the monotonic clock. From `hand_back_at` on it asks its jobs to end."""

    seconds: float
    hand_back_at: float
    deadline: float

    @property
    def reserve_seconds(self) -> float:
        return self.deadline - self.hand_back_at


def plan_budget(seconds: float, grace_seconds: float, now: float) -> Budget:
    """Divide a budget into time to run jobs and time to end in order."""
    if not seconds > 0:
        raise BadOption(f"budget: {seconds!r} is not a positive time")
    share = max(SHORTEST_RESERVE_SECONDS, seconds / RESERVE_SHARE)
    reserve = min(LONGEST_RESERVE_SECONDS, max(grace_seconds, 0.0), share, seconds / 2)
    return Budget(seconds=seconds, hand_back_at=now + seconds - reserve, deadline=now + seconds)


def check_max_jobs(count: int | None) -> int | None:
    """Refuse what is not a positive number."""
    if count is not None and count < 1:
        raise BadOption(f"max_jobs: {count!r} is not a positive number")
    return count


@dataclass(slots=True, kw_only=True)
class Plan:
    """Used by the claimer's thread. Without a budget, a batch or a number it restricts nothing."""

    ends_empty: bool = False
    budget: Budget | None = None
    batch: JobId | None = None
    max_jobs: int | None = None
    durations: Durations = field(default_factory=Durations)
    clock: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random
    taken: int = 0
    unfit: set[str] = field(default_factory=set)  # kinds that were left out, for the report
    _too_long: frozenset[str] = frozenset()
    _is_begun: bool = False
    _is_for_long_ones: bool = False

    @property
    def is_spent(self) -> bool:
        """Whether as many jobs were taken as were asked for."""
        return self.max_jobs is not None and self.taken >= self.max_jobs

    @property
    def is_narrow(self) -> bool:
        """Whether not everything may be taken, or not always."""
        return self.max_jobs is not None or self.budget is not None or self.batch is not None

    def room(self, room: int) -> int:
        """Return how many of these may still be taken."""
        return room if self.max_jobs is None else min(room, self.max_jobs - self.taken)

    def only(self, kinds: Mapping[str, object]) -> Only | None:
        """Say what a claim must be narrowed to now; None when anything will do."""
        if self.budget is None:
            return None if self.batch is None else Only(self.batch)
        if self._is_for_long_ones:
            return Only(self.batch, self._too_long)
        left = self.budget.hand_back_at - self.clock()
        unfit = {kind for kind in kinds if not self._fits(kind, left)}
        self.unfit |= unfit
        if unfit:
            return Only(self.batch, frozenset(kinds) - unfit)
        return None if self.batch is None else Only(self.batch)

    def begin_long(self, kinds: Iterable[str], slots: int) -> int:
        """Once, at the beginning: say how many jobs to take that no such run has time for.

        They must not starve: they get the whole of a run's time, a quarter of its slots, and hand
        back in the end. With one slot it is left to chance, or nobody else would ever have a turn.
        Until `end_long`, `only` names their kinds.
        """
        if self._is_begun or self.budget is None:
            return 0
        self._is_begun = True
        left = self.budget.hand_back_at - self.clock()
        self._too_long = frozenset(kind for kind in kinds if not self._fits(kind, left))
        if not self._too_long or (slots < LONG_SHARE and self.chance() * LONG_SHARE >= slots):
            return 0
        self._is_for_long_ones = True
        return max(1, slots // LONG_SHARE)

    def end_long(self) -> None:
        self._is_for_long_ones = False

    def _fits(self, kind: str, left_seconds: float) -> bool:
        """Whether an attempt would end in time; what was never measured is taken to."""
        typical = self.durations.typical(kind)
        return typical is None or typical <= left_seconds
