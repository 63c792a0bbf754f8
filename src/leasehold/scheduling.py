"""Schedules in code: `schedule("nightly", "0 3 * * *", tidy_up)`, for `Worker(schedules=[...])`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold.checking import check_name
from leasehold.errors import BadOption
from leasehold.model.ids import JobId
from leasehold.model.schedules import NewSchedule, read_schedule
from leasehold.task import Call, Task

if TYPE_CHECKING:
    from datetime import timedelta
    from typing import TypedDict, Unpack

    from leasehold.model.durations import Duration
    from leasehold.model.values import NewJob

    class Timing(TypedDict, total=False):
        """How a rule is read; see `schedule`."""

        zone: str
        dst: str
        missed: str
        missed_cap: int
        jitter: Duration


NO_ID = JobId(UUID(int=0))  # each slot has its own


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule that code declares. A worker that is given it writes it down at its start."""

    declared: NewSchedule

    @property
    def name(self) -> str:
        return self.declared.name

    def preview(self, after: datetime, count: int = 10) -> list[datetime]:
        """List its slots behind a moment, in UTC."""
        return list(islice(self.declared.slots_after(after), count))


def schedule(
    name: str,
    rule: str | timedelta | float,
    work: Task[..., Any] | Call,
    **timing: Unpack[Timing],
) -> Schedule:
    """Declare that `work` is to be enqueued whenever the rule says: a task, or `task.call(...)`.

    The rule is cron (five fields, or six with seconds first), a nickname like "@daily", "every 90s"
    or a timedelta. `zone` is where its clock hangs; `dst` what happens when that changes ("auto",
    "once", "skip", "through"); `missed` what becomes of slots at which no worker was there ("none",
    "latest", "all" up to `missed_cap`); `jitter` spreads the jobs over that time.
    """
    job = job_of(work, f"schedule {name!r}")
    return Schedule(read_schedule(check_name("name", name), rule, job, **timing))


def job_of(work: Task[..., Any] | Call, said: str) -> NewJob:
    """Build the job that each slot makes anew."""
    call = work.call() if isinstance(work, Task) else work
    if not isinstance(call, Call):
        raise BadOption(f"{said}: {work!r} is neither a task nor task.call(...)")
    if call.task.options.job_id is not None:
        raise BadOption(f"{said}: each of its jobs has an id of its own, so id can't be given")
    return call.job(NO_ID)
