"""Prunes to the end; what went, and what is still there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.model.keeping import DAY_SECONDS, Pruning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from leasehold.model.ids import JobId
    from leasehold.store.base import Store

DAY = DAY_SECONDS


def prune(store: Store, what: Pruning = Pruning.JOBS, *, limit: int = 1000, **options: Any) -> int:
    """Walk through all of them; returns how many went."""
    gone, cursor = 0, None
    for _ in range(1000):
        step = store.prune(what, cursor, limit=limit, **options)
        gone += step.gone
        assert step.seen <= limit
        if step.cursor is None:
            return gone
        cursor = step.cursor
    raise AssertionError("the walk does not end")


def there(store: Store, jobs: Iterable[JobId]) -> set[JobId]:
    return {job_id for job_id in jobs if store.get(job_id) is not None}
