"""Compares all that a store shows of its jobs with the model."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.states import State

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.model.values import Attempt, Job
    from leasehold.store.base import Store
    from tests.properties.model import Model, Record

PLACES = {"ready": "ready", "lease": "running", "parked": "parked"}


def compare(store: Store, model: Model, ids: list[JobId]) -> None:
    """Assert that every job that ever was is shown as the model has it."""
    for job_id in ids:
        record, job = model.jobs.get(job_id), store.get(job_id)
        if record is None:
            assert job is None, f"{job_id} was deleted"
            continue
        assert job is not None, f"{job_id} is lost"
        assert shown(job) == expected(record)
        assert told(store.history(job_id)) == list(map(_ending, record.ends))
        assert_times(job, record)
        assert_error(job, record)
    assert counted(store) == tally(model)


def shown(job: Job) -> dict[str, Any]:
    fields = {
        "state": job.state,
        "kind": job.kind,
        "queue": job.queue,
        "tenant": job.tenant,
        "args": job.args,
        "priority": job.priority,
        "attempt": job.attempt,
        "failures": job.failures,
        "max_attempts": job.max_attempts,
        "worker": job.worker if job.state is State.RUNNING else None,
        "cancel_requested": job.cancel_requested,
    }
    # What a final job's lapses were is nobody's concern any more.
    return fields if job.state.is_final else fields | {"lapses": job.lapses}


def expected(record: Record) -> dict[str, Any]:
    lease, asked = record.lease, record.asked
    fields = {
        "state": record.state,
        "kind": asked.kind,
        "queue": asked.queue,
        "tenant": asked.tenant,
        "args": msgspec.json.decode(asked.args),
        "priority": record.priority,
        "attempt": record.attempt,
        "failures": record.failures,
        "max_attempts": asked.max_attempts,
        "worker": lease.worker if lease else None,
        "cancel_requested": bool(lease and lease.is_cancelled),
    }
    return fields if record.state.is_final else fields | {"lapses": record.lapses}


def told(history: list[Attempt]) -> list[tuple[object, ...]]:
    return [(end.attempt, end.outcome, end.fence, end.worker) for end in history]


def _ending(end: Any) -> tuple[object, ...]:
    return (end.attempt, end.outcome, end.fence, end.worker)


def assert_times(job: Job, record: Record) -> None:
    """Only a running job has a lease, a scheduled one its time, an ended one its end."""
    assert (job.lease_until is not None) == (record.place == "lease")
    assert (job.finished_at is not None) == (record.place == "")
    if record.place == "scheduled":
        assert job.run_at is not None
        assert job.run_at >= job.created_at
    if record.place == "lease":
        assert job.claimed_at is not None
        assert job.claimed_at >= job.created_at


def assert_error(job: Job, record: Record) -> None:
    if record.place == "" or (record.ends and record.ends[-1].outcome == "failed"):
        assert (job.error or "").startswith(record.error or ""), "another error is shown"
        assert (job.error is None) == (record.error is None)


def counted(store: Store) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for queue in store.counts():
        for place in ("ready", "scheduled", "failed", "running", "parked"):
            counts[queue.queue, place] += getattr(queue, place)
    return +counts


def tally(model: Model) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for record in model.jobs.values():
        if record.place == "scheduled":
            place = "failed" if record.failures else "scheduled"
            counts[record.asked.queue, place] += 1
        elif record.place:
            counts[record.asked.queue, PLACES[record.place]] += 1
    return counts
