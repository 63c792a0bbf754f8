"""Makes jobs, claims them, moves the clock, and brings a job into any state."""

from __future__ import annotations

import os
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from leasehold.model.batches import NewBatch
from leasehold.model.ids import JobId, WorkerId, uuid7
from leasehold.model.lanes import (
    SEPARATOR,
    SUSPECTS,
    USUAL,
    Ask,
    LaneSeen,
    Look,
    Rule,
)
from leasehold.model.states import State
from leasehold.model.values import (
    PRIORITY_LIMIT,
    Claim,
    Held,
    Job,
    NewJob,
    Settlement,
    Want,
    WorkerInfo,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leasehold.store.base import Answer, Store

GREET = "greet"
STRANGE = "strange"  # a kind that the test's worker does not know
WORKER = WorkerId(101)
OTHER = WorkerId(202)
LEASE_SECONDS = 60.0
LATER_SECONDS = 3600.0
RULE = "domain"  # a throttle …
HOST = "domain:a.com"  # … and two keys of it
OTHER_HOST = "domain:b.com"


class Place(StrEnum):
    """Where a job can stand: finer than its state, since queued is three tables."""

    READY = "ready"
    BLOCKED = "blocked"
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
    Place.BLOCKED: State.BLOCKED,
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


def make_batch(store: Store, **options: Any) -> JobId:
    """Make a batch that jobs can be added to."""
    batch = NewBatch(id=new_id(), **options)
    store.create_batch(batch)
    return batch.id


def enqueue_one(store: Store, **options: Any) -> JobId:
    job = new_job(**options)
    assert store.enqueue([job]) == {}
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


def declare(store: Store, *rules: Rule, worker: WorkerId = WORKER) -> None:
    """Start a worker whose code has these throttles."""
    info = WorkerInfo(id=worker, name="w", queues=(), kinds=(GREET,), slots=1, version="1")
    store.register(info, [], rules)


def place_of(
    lane: str, *, queue: str = "default", stage: str = USUAL, priority: int = 0, share: str = ""
) -> str:
    """Write a place as the stores do: a claim may name a lane that no look has seen."""
    order = f"{PRIORITY_LIMIT - priority:05}"
    return SEPARATOR.join((queue, stage, order, share, lane))


def look_lanes(
    store: Store,
    *,
    worker: WorkerId = WORKER,
    queues: Sequence[str] = ("default",),
    stage: str = USUAL,
    parties: int = 64,
    page: int = 1000,
    after: Mapping[str, str] | None = None,
) -> list[LaneSeen]:
    looks = [Look(queue, stage) for queue in queues]
    return store.look_lanes(worker, looks, parties=parties, page=page, after=after or {})


def claim_lanes(
    store: Store,
    *lane_places: str,
    worker: WorkerId = WORKER,
    most: int = 100,
    limit: int = 100,
    kinds: Sequence[str] = (GREET,),
    lease_seconds: float = LEASE_SECONDS,
) -> list[Claim]:
    """Ask for these lanes without a look: what a look said must not matter."""
    return store.claim_lanes(
        worker,
        [Ask(place, most) for place in lane_places],
        limit=limit,
        leases=dict.fromkeys(kinds, lease_seconds),
    ).claims


def take_lanes(
    store: Store,
    worker: WorkerId = WORKER,
    limit: int = 100,
    *,
    queues: Sequence[str] = ("default",),
    stage: str = USUAL,
    kinds: Sequence[str] = (GREET,),
    lease_seconds: float = LEASE_SECONDS,
) -> list[Claim]:
    """Look, then claim from all lanes with room, in the order of their places."""
    seen = look_lanes(store, worker=worker, queues=queues, stage=stage)
    return store.claim_lanes(
        worker,
        [Ask(lane.place, min(lane.room, limit)) for lane in seen if lane.room > 0],
        limit=limit,
        leases=dict.fromkeys(kinds, lease_seconds),
    ).claims


def take_one(store: Store, worker: WorkerId = WORKER, **options: Any) -> Claim:
    """Take the only laned job that may start."""
    (taken,) = take_lanes(store, worker, **options)
    return taken


def take_suspect(store: Store, **options: Any) -> Claim:
    """Take the next suspect out of the lanes, alone."""
    return take_one(store, limit=1, stage=SUSPECTS, **options)


def start_one(store: Store, *, lease_seconds: float = LEASE_SECONDS, **options: Any) -> Claim:
    """Enqueue one job and claim it; one with a lane out of its lane."""
    job_id = enqueue_one(store, **options)
    queue = options.get("queue", "default")
    is_laned = options.get("lane") is not None
    take = take_one if is_laned else claim_one
    taken = take(store, queues=[queue], limit=1, lease_seconds=lease_seconds)
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
        if options.get("lane") is None:
            taken = claim_one(store, queues=[queue], suspects=True)
        else:
            taken = take_suspect(store, queues=[queue])
    assert taken.lapses == lapses
    return taken


def bring(store: Store, place: Place, **options: Any) -> Standing:
    """Enqueue a job and bring it there; no other job of its queue may be ready meanwhile."""
    match place:
        case Place.READY:
            return Standing(enqueue_one(store, **options), None)
        case Place.BLOCKED:
            return Standing(enqueue_one(store, **({"lane": HOST} | options)), None)
        case Place.SCHEDULED:
            return Standing(enqueue_one(store, delay_seconds=LATER_SECONDS, **options), None)
        case Place.PARKED:
            return _park(store, **options)
        case _:
            return _start_and_end(store, place, **options)


def _park(store: Store, **options: Any) -> Standing:
    job_id = enqueue_one(store, **({"kind": STRANGE} | options))
    come_by = claim if options.get("lane") is None else take_lanes
    assert come_by(store, queues=[options.get("queue", "default")], kinds=["other"]) == []
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
