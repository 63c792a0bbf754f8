"""What the demo shows, read from the queue at one moment."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from leasehold.model.states import State

if TYPE_CHECKING:
    from leasehold.client import Client
    from leasehold.model.values import Job, WorkerInfo
    from leasehold.worker import Worker

_RECENT = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Counts by state, the newest jobs, the workers. What has ended is counted since the start."""

    counts: dict[State, int]
    recent: list[Job]
    workers: list[WorkerInfo]
    now: datetime


def look_at(client: Client, worker: Worker) -> Look:
    """Read it. The reads are separate, so a job may be seen twice in two states."""
    queues, report = client.counts(), worker.report
    return Look(
        counts={
            State.QUEUED: sum(each.ready + each.scheduled + each.parked for each in queues),
            State.RUNNING: sum(each.running for each in queues),
            State.FAILED: sum(each.failed for each in queues),
            State.SUCCEEDED: report.succeeded,
            State.DEAD: report.dead,
            State.CANCELLED: report.cancelled,
        },
        recent=client.find(limit=_RECENT),
        workers=client.workers(),
        now=datetime.now(UTC),
    )


def duration_seconds(job: Job, now: datetime) -> float | None:
    """How long the job's last or present attempt has run."""
    if job.state is State.RUNNING and job.claimed_at is not None:
        return (now - job.claimed_at).total_seconds()
    if job.started_at is None or job.finished_at is None:
        return None
    return (job.finished_at - job.started_at).total_seconds()
