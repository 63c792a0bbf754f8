"""Takes away what is past its time: one worker of the fleet at a time, in small steps.

After each step it rests for many times as long as the step took, so that whatever slows the
database down slows this down first. It runs on a thread of its own, which is there only while there
is something to do.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from leasehold.model.keeping import Pruning
from leasehold.upkeep.errand import Errand

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import WorkerId
    from leasehold.model.keeping import Duty, Pruned
    from leasehold.store.base import Store

DUTY = "retention"
ASK_SECONDS = 30.0  # between the questions of one worker whether it is its turn
DUTY_SECONDS = 60.0  # how long a killed worker keeps the others from going on
RENEW_SECONDS = 15.0
PAUSE_SECONDS = 300.0  # between two walks
LONGEST_PAUSE_SECONDS = 3_600.0
BUSY_SHARE = 0.05  # of the time, while jobs run
IDLE_SHARE = 0.5
LARGEST_STEP, SMALLEST_STEP = 1_000, 200
STEP_SECONDS = 0.1  # a step that takes longer is followed by a smaller one
_LONGEST_REST_SECONDS = 10.0
_ORDER = tuple(Pruning)
_logger = logging.getLogger("leasehold.upkeep")


class Pace:
    """How large a step may be, and how long to rest after it."""

    def __init__(self) -> None:
        self.limit = LARGEST_STEP
        self.spent_seconds = 0.0

    def after(self, seconds: float, *, is_busy: bool) -> float:
        """Note how long a step took; returns how long to rest."""
        self.spent_seconds += seconds
        if seconds > STEP_SECONDS:
            self.limit = max(SMALLEST_STEP, int(self.limit * max(0.5, STEP_SECONDS / seconds)))
        elif seconds < STEP_SECONDS / 2:
            self.limit = min(LARGEST_STEP, self.limit * 2)
        share = BUSY_SHARE if is_busy else IDLE_SHARE
        return min(_LONGEST_REST_SECONDS, seconds * (1 / share - 1))

    def pause(self) -> float:
        """Return how long to wait after a walk: a long one is not for every few minutes."""
        return min(LONGEST_PAUSE_SECONDS, max(PAUSE_SECONDS, self.spent_seconds / BUSY_SHARE))


class Retention:
    """Asks, from the claimer's rounds, whether it is this worker's turn, and then walks."""

    def __init__(
        self,
        store: Store,
        worker: WorkerId,
        *,
        clock: Callable[[], float],
        is_busy: Callable[[], bool],
    ) -> None:
        self._store = store
        self._worker = worker
        self._clock = clock
        self._is_busy = is_busy
        self._errand = Errand("retention")

    def ask(self, store: Store) -> None:
        """Take the duty on, on the asker's own connection, and begin, unless we are at it."""
        if not self._errand.may_begin:
            return
        duty = store.take_duty(DUTY, self._worker, seconds=DUTY_SECONDS)
        if duty is not None:
            self._errand.begin(partial(self.walk, duty))

    def stop(self, timeout_seconds: float) -> None:
        """End after the present step. Safe twice, and before a start."""
        self._errand.stop(timeout_seconds)

    def walk(self, duty: Duty) -> int:
        """Go through everything once, from where the last one stood; returns how much went."""
        pace, gone = Pace(), 0
        what, cursor = _read_place(duty.cursor)
        renewed_at = self._clock()
        while True:
            step, rest_seconds = self._step(what, cursor, pace)
            gone += step.gone
            following = _following(what, step)
            if following is None:
                self._renew(pace.pause(), None)
                _logger.info("retention walked", extra={"gone": gone})
                return gone
            what, cursor = following
            place = f"{what.value} {cursor or ''}"
            if self._errand.rest(rest_seconds):
                self._renew(0.0, place)  # somebody else goes on from here
                return gone
            if self._clock() - renewed_at >= RENEW_SECONDS:
                renewed_at = self._clock()
                if not self._renew(DUTY_SECONDS, place):
                    return gone  # another one took over

    def _step(self, what: Pruning, cursor: str | None, pace: Pace) -> tuple[Pruned, float]:
        began = self._clock()
        step = self._store.prune(what, cursor, limit=pace.limit)
        is_busy = step.is_busy or self._is_busy()
        return step, pace.after(self._clock() - began, is_busy=is_busy)

    def _renew(self, seconds: float, place: str | None) -> bool:
        return self._store.renew_duty(DUTY, self._worker, seconds=seconds, cursor=place)


def _read_place(cursor: str | None) -> tuple[Pruning, str | None]:
    what, _, place = (cursor or Pruning.JOBS.value).partition(" ")
    return Pruning(what), place or None


def _following(what: Pruning, step: Pruned) -> tuple[Pruning, str | None] | None:
    """Say what the next step looks at, and from where on; None at the end of the walk."""
    if step.cursor is not None:
        return what, step.cursor
    number = _ORDER.index(what) + 1
    return (_ORDER[number], None) if number < len(_ORDER) else None
