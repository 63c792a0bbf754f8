"""Makes batches with members and callbacks, and looks what followed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.batches import BatchCounts, BatchEnded, Followed, JobEnded
from leasehold.model.ids import derive_id
from tests.conformance.kit import claim, enqueue_one, make_batch, raw, settle

if TYPE_CHECKING:
    from leasehold.model.batches import BatchInfo
    from leasehold.model.ids import JobId
    from leasehold.model.values import Claim, Job
    from leasehold.store.base import Store

DONE = "batch.done"
FAILED = "batch.failed"
ON_END = raw({"kind": DONE, "queue": "callbacks"})
ON_FAILURE = raw({"kind": FAILED, "queue": "callbacks"})


def batch_of(store: Store, count: int = 0, **options: Any) -> tuple[JobId, list[JobId]]:
    """Make a batch that calls back, with so many members."""
    batch = make_batch(store, **({"on_end": ON_END} | options))
    return batch, [enqueue_one(store, batch=batch) for _ in range(count)]


def info(store: Store, batch: JobId) -> BatchInfo:
    found = store.get_batch(batch)
    assert found is not None, f"no batch {batch}"
    return found


def counts(store: Store, batch: JobId) -> dict[str, int]:
    """Count the members by state, leaving out what is 0."""
    found = info(store, batch).counts
    given = {name: getattr(found, name) for name in BatchCounts.__struct_fields__}
    assert sum(given.values()) == 2 * found.total
    return {name: value for name, value in given.items() if value}


def run(store: Store, outcome: str = "succeeded", **fields: Any) -> list[Claim]:
    """Claim all that is ready and end it so."""
    taken = claim(store)
    for each in taken:
        settle(store, each, outcome, **fields)
    return taken


def end(store: Store, *members: JobId) -> Followed:
    """Follow up the ends of these, as their worker would."""
    return store.follow_up(members)


def callback_of(store: Store, batch: JobId, purpose: str = "end", number: int = 1) -> Job | None:
    return store.get(derive_id(batch, f"{purpose}:{number}"))


def told(job: Job | None) -> BatchEnded:
    """Read what a batch's callback is told."""
    assert job is not None, "no callback"
    return msgspec.convert(job.args["ended"], BatchEnded, strict=False)


def told_of_job(job: Job | None) -> JobEnded:
    assert job is not None, "no callback"
    return msgspec.convert(job.args["ended"], JobEnded, strict=False)


def callbacks(store: Store) -> list[Claim]:
    """Claim all callbacks that were made."""
    return claim(store, queues=["callbacks"], kinds=[DONE, FAILED])
