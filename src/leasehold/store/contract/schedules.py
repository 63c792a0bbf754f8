"""What a store can do for schedules, the rules that make jobs again and again."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from leasehold.model.schedules import DueSchedules, Firing, NewSchedule, ScheduleInfo


class ScheduleStore(Protocol):
    """Each method is one atomic operation. A slot is fired by whoever moves the schedule on."""

    def now(self) -> datetime:
        """Read the store's clock, by which schedules are fired."""

    def schedules(self, *, tenant: str | None = None) -> list[ScheduleInfo]:
        """List the schedules of one tenant or of all, by name."""

    def schedule(self, name: str, *, tenant: str) -> ScheduleInfo | None: ...

    def put_schedule(
        self,
        schedule: NewSchedule,
        *,
        next_at: datetime | None,
        by: str | None,
        seen: ScheduleInfo | None,
    ) -> bool:
        """Make a schedule, or change the one that was seen, if it is still as it was.

        False when it was changed or fired since, or made by somebody else; nothing is written
        then. A paused one stays paused.
        """

    def pause_schedule(self, name: str, *, tenant: str, by: str | None) -> bool:
        """Fire it no more; False when it is paused already or not there."""

    def resume_schedule(self, seen: ScheduleInfo, *, next_at: datetime | None) -> bool:
        """Fire it again from this slot on; False when it is not paused, or not as it was seen."""

    def delete_schedule(self, name: str, *, tenant: str) -> bool:
        """Delete it, not its jobs; False when it is not there."""

    def due_schedules(self, *, limit: int) -> DueSchedules:
        """List the schedules whose slot has come, the longest due first. Takes nothing."""

    def fire(self, firing: Firing) -> bool:
        """Move the schedule on and write its jobs, both or neither, if it is as it was seen.

        False when it is not, or when somebody is just at it: then others have fired it. A job
        whose key another one has is made or not as for `enqueue`.
        """
