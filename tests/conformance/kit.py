"""Makes jobs, claims them, moves the clock, and brings a job into any state."""

from __future__ import annotations

import os
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from leasehold.model.ids import JobId, WorkerId, uuid7
from leasehold.model.states import State
from leasehold.model.values import Claim, Held, Job, NewJob, Settlement, Want

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.store.base import Answer, Store

GREET = "greet"
STRANGE = "strange"  # a kind that the test's worker does not know
WORKER = WorkerId(101)
OTHER = WorkerId(202)
LEASE_SECONDS = 60.0
LATER_SECONDS = 3600.0


class Place(StrEnum):
    """Where a job can stand: finer than its state, since queued is three tables."""

    READY = "ready"
    SCHEDULED = "scheduled"
    PARKED = "parked"
    RUNNING = "running"
    CANCELLING = "cancelling"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    DEAD = "dead"
    CANCELLED = "cancelled"


STATE_OF = {
    Place.READY: State.QUEUED,
    Place.SCHEDULED: State.QUEUED,
    Place.PARKED: State.QUEUED,
    Place.RUNNING: State.RUNNING,
    Place.CANCELLING: State.RUNNING,
    Place.FAILED: State.FAILED,
    Place.SUCCEEDED: State.SUCCEEDED,
    Place.DEAD: State.DEAD,
    Place.CANCELLED: State.CANCELLED,
}
RUNNING_PLACES = (Place.RUNNING, Place.CANCELLING)
FINAL_PLACES = (Place.SUCCEEDED, Place.DEAD, Place.CANCELLED)


class Standing(NamedTuple):
    """A job that was brought somewhere, with its last lease if it ever had one."""

    job_id: JobId
    claim: Claim | None


def new_id() -> JobId:
    return uuid7(time.time_ns() // 1_000_000, os.urandom(10))


def raw(value: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(value, order="deterministic"))


def new_job(**options: Any) -> NewJob:
    fields: dict[str, Any] = {"id": new_id(), "kind": GREET, "args": raw({"name": "Ada"})} | options
    return NewJob(**fields)


def new_jobs(count: int, **options: Any) -> list[NewJob]:
    """Make jobs whose ids grow, so that the list is in the order of creation."""
    return [new_job(id=job_id, **options) for job_id in sorted(new_id() for _ in range(count))]


def enqueue_one(store: Store, **options: Any) -> JobId:
    job = new_job(**options)
    assert store.enqueue([job]) == frozenset()
    return job.id


def enqueue_apart(store: Store, count: int, **options: Any) -> list[JobId]:
    """Enqueue jobs one second apart, the oldest first."""
    ids = []
    for job in new_jobs(count, **options):
        store.enqueue([job])
        ids.append(job.id)
        pass_time(store, 1)
    return ids


def pass_time(store: Store, seconds: float) -> None:
    store.skew_seconds += seconds


def claim(
    store: Store,
    *,
    worker: WorkerId = WORKER,
    queues: Sequence[str] = ("default",),
    limit: int = 100,
    kinds: Sequence[str] = (GREET,),
    lease_seconds: float = LEASE_SECONDS,
    suspects: bool = False,
) -> list[Claim]:
    return store.claim(
        worker,
        [Want(queue, limit) for queue in queues],
        limit=limit,
        leases=dict.fromkeys(kinds, lease_seconds),
        is_for_suspects=suspects,
    )


def claim_one(store: Store, **options: Any) -> Claim:
    """Claim the only job there is."""
    (taken,) = claim(store, **options)
    return taken


def start_one(store: Store, *, lease_seconds: float = LEASE_SECONDS, **options: Any) -> Claim:
    """Enqueue one job and claim it."""
    job_id = enqueue_one(store, **options)
    queue = options.get("queue", "default")
    taken = claim_one(store, queues=[queue], limit=1, lease_seconds=lease_seconds)
    assert taken.job_id == job_id
    return taken


def start_many(store: Store, count: int, **options: Any) -> list[Claim]:
    store.enqueue(new_jobs(count, **options))
    taken = claim(store, limit=count)
    assert len(taken) == count
    return taken


def held(taken: Claim) -> Held:
    return Held(taken.job_id, taken.fence, taken.lease_seconds)


def settlement(taken: Claim, outcome: str, **fields: Any) -> Settlement:
    return Settlement(job_id=taken.job_id, fence=taken.fence, outcome=outcome, **fields)


def settle(
    store: Store, taken: Claim, outcome: str, *, worker: WorkerId = WORKER, **fields: Any
) -> Answer:
    (answer,) = store.finish(worker, [settlement(taken, outcome, **fields)])
    return answer


def fail(store: Store, taken: Claim, *, delay_seconds: float = 0.0) -> Answer:
    return settle(
        store, taken, "failed", error="Boom", delay_seconds=delay_seconds, is_counted=True
    )


def promote(store: Store) -> int:
    return store.promote(limit=1000).count


def reclaim(store: Store, *, delay_seconds: float = 0.0) -> dict[JobId, State]:
    """Take back every lease that has lapsed by now."""
    return store.reclaim([(lease, delay_seconds) for lease in store.lapsed(limit=1000)])


def lapse(store: Store, *, delay_seconds: float = 0.0) -> dict[JobId, State]:
    """Let every lease lapse and take it back."""
    pass_time(store, LEASE_SECONDS + 1)
    return reclaim(store, delay_seconds=delay_seconds)


def look(store: Store, job_id: JobId) -> Job:
    job = store.get(job_id)
    assert job is not None, f"no job {job_id}"
    return job


def start_suspect(store: Store, *, lapses: int = 1, **options: Any) -> Claim:
    """Bring a job that lapsed `lapses` times back to a running lease."""
    taken = start_one(store, **options)
    queue = options.get("queue", "default")
    for _ in range(lapses):
        lapse(store)
        assert promote(store) == 1
        taken = claim_one(store, queues=[queue], suspects=True)
    assert taken.lapses == lapses
    return taken


def bring(store: Store, place: Place, **options: Any) -> Standing:
    """Enqueue a job and bring it there; no other job of its queue may be ready meanwhile."""
    match place:
        case Place.READY:
            return Standing(enqueue_one(store, **options), None)
        case Place.SCHEDULED:
            return Standing(enqueue_one(store, delay_seconds=LATER_SECONDS, **options), None)
        case Place.PARKED:
            return _park(store, **options)
        case _:
            return _start_and_end(store, place, **options)


def _park(store: Store, **options: Any) -> Standing:
    job_id = enqueue_one(store, **({"kind": STRANGE} | options))
    assert claim(store, queues=[options.get("queue", "default")], kinds=["other"]) == []
    return Standing(job_id, None)


def _start_and_end(store: Store, place: Place, **options: Any) -> Standing:
    taken = start_one(store, **options)
    match place:
        case Place.CANCELLING:
            assert store.cancel(taken.job_id, by=None) is State.RUNNING
        case Place.FAILED:
            fail(store, taken, delay_seconds=LATER_SECONDS)
        case Place.SUCCEEDED:
            settle(store, taken, "succeeded", result=raw({"sum": 3}), elapsed_seconds=0.5)
        case Place.DEAD:
            settle(store, taken, "dead", error="Boom", is_counted=True)
        case Place.CANCELLED:
            settle(store, taken, "cancelled", error="cancelled by its handler")
        case _:
            pass
    return Standing(taken.job_id, taken)
