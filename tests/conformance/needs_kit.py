"""Makes jobs that wait for others, and ends what they wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.model.needs import Needs, Released
from tests.conformance.kit import claim, enqueue_one, fail, settle

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store

NEEDED = "needed"  # the queue of jobs that others wait for
LIMIT = 1_000


def needs(*jobs: JobId, **words: bool) -> Needs:
    return Needs(jobs=jobs, **words)


def enqueue_after(
    store: Store, *jobs: JobId, words: dict[str, bool] | None = None, **options: Any
) -> JobId:
    """Enqueue a job that waits for these."""
    return enqueue_one(store, needs=needs(*jobs, **(words or {})), **options)


def enqueue_needed(store: Store, **options: Any) -> JobId:
    return enqueue_one(store, queue=NEEDED, **options)


def end(store: Store, job_id: JobId, outcome: str = "succeeded", **fields: Any) -> JobId:
    """Bring a needed job, the only one that is ready, to its end, and tell nobody."""
    (taken,) = [each for each in claim(store, queues=[NEEDED], limit=1) if each.job_id == job_id]
    if outcome == "failed":
        fail(store, taken, delay_seconds=3600)
    else:
        settle(store, taken, outcome, **fields)
    return job_id


def sweep(store: Store, limit: int = LIMIT) -> Released:
    return store.sweep_dependents(limit=limit)
