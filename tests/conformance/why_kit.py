"""Asks why a job does not run, and tries whether the answer is true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.client import Client
from leasehold.model.causes import Reason
from leasehold.model.ids import WorkerId
from leasehold.model.lanes import SUSPECTS, USUAL, Rule, parked
from leasehold.model.values import Want, WorkerInfo
from tests.conformance.kit import GREET, LEASE_SECONDS, STRANGE, WORKER, claim, take_lanes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.ids import JobId
    from leasehold.model.why import Why
    from leasehold.store.base import Store

ALL_STAGES = (USUAL, SUSPECTS, parked(GREET), parked(STRANGE))


def start_worker(
    store: Store,
    worker: WorkerId = WORKER,
    *,
    queues: Sequence[str] = ("default",),
    kinds: Sequence[str] = (GREET,),
    slots: int = 4,
    rules: Sequence[Rule] = (),
) -> None:
    info = WorkerInfo(
        id=worker,
        name=f"w-{worker}",
        queues=tuple(queues),
        kinds=tuple(kinds),
        slots=slots,
        version="1",
    )
    store.register(info, [], rules)


def why(store: Store, job_id: JobId) -> Why:
    return Client(store=store).why(job_id)


def take(
    store: Store,
    *,
    limit: int = 100,
    worker: WorkerId = WORKER,
    queues: Sequence[str] = ("default",),
    kinds: Sequence[str] = (GREET,),
) -> list[JobId]:
    """Claim as a worker does, from wherever it may."""
    options: dict[str, Any] = {"worker": worker, "queues": queues, "kinds": kinds, "limit": limit}
    taken = claim(store, **options)
    taken += claim(store, **(options | {"limit": 1}), suspects=True) if not taken else []
    leases = dict.fromkeys(kinds, LEASE_SECONDS)
    wants = [Want(queue, limit) for queue in queues]
    taken += store.claim_parked(worker, wants, limit=limit, leases=leases)
    for stage in ALL_STAGES:
        if len(taken) < limit:
            taken += take_lanes(
                store, worker, limit - len(taken), queues=queues, kinds=kinds, stage=stage
            )
    return [each.job_id for each in taken]


def assert_held(store: Store, job_id: JobId, reason: Reason, **how: Any) -> Why:
    """See that no claim gives the job, and that this is the reason."""
    said = why(store, job_id)
    assert said.reason is reason, said
    assert job_id not in take(store, **how)
    return said


def assert_free(store: Store, job_id: JobId, **how: Any) -> None:
    """See that a claim gives the job now."""
    assert job_id in take(store, **how)
    assert why(store, job_id).reason is Reason.RUNNING
