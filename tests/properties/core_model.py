"""What all operations of the model share: jobs, a clock, and how an attempt begins and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from leasehold.model.ids import Fence
from tests.properties.key_model import Keys
from tests.properties.needs_model import Waiting
from tests.properties.records import End, Lease, Record

if TYPE_CHECKING:
    from collections.abc import Collection

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.values import NewJob

T = TypeVar("T")

MOMENT_SECONDS = 0.001
NO_FENCE = Fence(0)


class Core:
    """The jobs and the moment; every operation takes one."""

    def __init__(self, fragile: Collection[str]) -> None:
        self.now = 0.0
        self.jobs: dict[JobId, Record] = {}
        self.limits: dict[str, int] = {}  # by throttle key
        self.paused: dict[str, float] = {}  # until when, by throttle key or queue
        self.keys = Keys(self.jobs, self._write, self._cancel_waiting)
        self.waiting = Waiting(self.jobs)
        self._fragile = frozenset(fragile)  # kinds that die on lapse

    def _write(self, job: NewJob) -> Record:
        delay = job.delay_seconds or 0.0
        record = self.jobs[job.id] = Record(
            asked=job,
            queue=given(job.queue),
            max_attempts=given(job.max_attempts),
            timeout_seconds=given(job.timeout_seconds),
            asked_priority=given(job.priority),
            created=self.now,
            place="scheduled",
            priority=given(job.priority),
            run_at=self.now + delay,
        )
        if job.needs:
            record.stand_behind()
        elif not delay:
            record.land()
        return record

    def _lease(self, record: Record, worker: WorkerId, fence: Fence, lease_seconds: float) -> None:
        record.place = "lease"
        record.attempt += 1
        record.lease = Lease(
            fence=fence,
            worker=worker,
            until=self.now + lease_seconds,
            deadline=self.now + record.timeout_seconds + lease_seconds,
            lease_seconds=lease_seconds,
        )

    def _tick(self) -> None:
        self.now += MOMENT_SECONDS

    def _schedule(self, record: Record, delay_seconds: float) -> None:
        record.place, record.run_at = "scheduled", self.now + delay_seconds

    def _cancel_waiting(self, record: Record, error: str) -> None:
        record.attempt += 1
        self._end(record, None, "cancelled", error=error)

    def _end(self, record: Record, lease: Lease | None, outcome: str, *, error: str | None) -> None:
        fence, worker = (lease.fence, lease.worker) if lease else (None, None)
        record.ends.append(End(record.attempt, outcome, fence, worker, self.now))
        record.place, record.lease, record.run_at, record.error = "", None, None, error
        if outcome in {"succeeded", "dead", "cancelled"}:
            record.priority = record.asked_priority


def given(value: T | None) -> T:
    """Demand a value: what a kind's own defaults would be is not modelled."""
    assert value is not None
    return value


def cancelled(by: str | None) -> str:
    return f"cancelled by {by}" if by else "cancelled"
