"""Fires schedules. There is no leader: any worker does it, and of those who try one succeeds."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from leasehold.errors import LeaseholdError
from leasehold.model.schedules import Firing, make_job, plan_firing
from leasehold.revealing import open_schedule

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from leasehold.model.schedules import DueSchedules, ScheduleInfo
    from leasehold.store.base import Store

LIMIT = 500
RETRY_SECONDS = 5.0
_logger = logging.getLogger("leasehold.upkeep")


class Firings:
    """Knows when the next slot comes, on this process's own clock."""

    def __init__(self, store: Store, *, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._failed: dict[tuple[str, str], float] = {}  # until when not to try again
        self.due_at = float("inf")

    def expect(self, seconds: float) -> None:
        """A slot comes by then."""
        self.due_at = min(self.due_at, self._clock() + seconds)

    def step(self) -> int:
        """Fire what is due, if anything is; returns how many schedules were fired here."""
        if self._clock() < self.due_at:
            return 0
        self.due_at = float("inf")
        due = self._store.due_schedules(limit=LIMIT)
        fired = sum(self._try(each, due.now) for each in due.schedules)
        self._look_ahead(due, fired)
        return fired

    def _try(self, schedule: ScheduleInfo, now: datetime) -> bool:
        """Fire one; what can't be fired just now must not stop the others."""
        known = (schedule.tenant, schedule.name)
        if self._failed.get(known, 0.0) > self._clock():
            return False
        self._failed.pop(known, None)
        try:
            return self._fire(schedule, now)
        except LeaseholdError as error:
            self._failed[known] = self._clock() + RETRY_SECONDS
            fields = {"schedule": schedule.name, "tenant": schedule.tenant, "error": str(error)}
            _logger.warning("schedule not fired", extra=fields)
            return False

    def _fire(self, schedule: ScheduleInfo, now: datetime) -> bool:
        if schedule.next_at is None:
            return False
        plan = plan_firing(schedule, schedule.next_at, now)
        opened = open_schedule(schedule, self._store.keyring) if plan.slots else schedule
        is_fired = self._store.fire(
            Firing(
                name=schedule.name,
                tenant=schedule.tenant,
                version=schedule.version,
                next_at=schedule.next_at,
                following=plan.following,
                slot=plan.slots[-1] if plan.slots else None,
                jobs=[make_job(opened, slot) for slot in plan.slots],
            )
        )
        if is_fired and plan.following is not None:
            self.expect((plan.following - now).total_seconds())
        return is_fired

    def _look_ahead(self, due: DueSchedules, fired: int) -> None:
        """Be there for the next slot too, unless others were here before: they will be again."""
        if due.next_seconds is not None and (fired or not due.schedules):
            self.expect(due.next_seconds)
        if fired and len(due.schedules) == LIMIT:
            self.expect(0.0)
