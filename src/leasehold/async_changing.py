"""`leasehold.changing` for asyncio: one job in a thread, many step by step."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from leasehold.acting import who
from leasehold.bulk import (
    CANCEL,
    DELETE,
    RETRY,
    Bulk,
    Verb,
    cancel_in_steps,
    delete_in_steps,
    delete_these_in_steps,
    recorded_bulk,
    retry_in_steps,
    retry_these_in_steps,
)
from leasehold.checking import read_job_id
from leasehold.filtering import read_filter
from leasehold.keeping import PruneReport, recorded_prune

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Unpack
    from uuid import UUID

    from leasehold.bulk import Progress
    from leasehold.client import Client
    from leasehold.filtering import Filters
    from leasehold.keeping import PruneProgress
    from leasehold.model.states import State

Sums = TypeVar("Sums")


class AsyncChanging:
    """The part of an async client that changes jobs."""

    _client: Client

    async def cancel(self, job_id: UUID | str, *, by: str | None = None) -> State:
        """End a waiting job as cancelled, or ask a running one to stop; returns its state."""
        return await asyncio.to_thread(self._client.cancel, job_id, by=by)

    async def retry(self, job_id: UUID | str) -> State:
        """Make a failed, dead or cancelled job ready now, with its attempts to spend anew."""
        return await asyncio.to_thread(self._client.retry, job_id)

    async def delete(self, job_id: UUID | str) -> None:
        """Delete a job and its history. One that is gone already is fine, a running one is not."""
        await asyncio.to_thread(self._client.delete, job_id)

    async def reprioritise(self, job_id: UUID | str, priority: int) -> State:
        """Change the priority of a waiting job; higher runs first."""
        return await asyncio.to_thread(self._client.reprioritise, job_id, priority)

    async def forget_key(self, key: str, *, tenant: str = "") -> bool:
        """Forget what is remembered of a key; `KeyHeld` while a live job has it."""
        return await asyncio.to_thread(self._client.forget_key, key, tenant=tenant)

    async def cancel_many(
        self,
        *,
        by: str | None = None,
        limit: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        **filters: Unpack[Filters],
    ) -> Bulk:
        """Cancel all jobs that the filters name, in short steps; see `Client.cancel_many`.

        Cancelling the await ends it after the present step.
        """
        begin = partial(cancel_in_steps, by=who(by), limit=limit, dry_run=dry_run)
        return await self._change_many(CANCEL, begin, filters, progress, by=by)

    async def retry_many(
        self,
        *,
        limit: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        **filters: Unpack[Filters],
    ) -> Bulk:
        """Make all failed, dead or cancelled jobs that the filters name ready now, in steps."""
        begin = partial(retry_in_steps, limit=limit, dry_run=dry_run)
        return await self._change_many(RETRY, begin, filters, progress)

    async def retry_these(
        self, job_ids: Iterable[UUID | str], *, progress: Progress | None = None
    ) -> Bulk:
        """Make these failed, dead or cancelled jobs ready now; see `Client.retry_these`."""
        store = await asyncio.to_thread(lambda: self._client.store)
        known = [read_job_id(each) for each in job_ids]
        steps = await asyncio.to_thread(retry_these_in_steps, store, known)
        return await _walk(steps, Bulk(), progress)

    async def delete_these(
        self, job_ids: Iterable[UUID | str], *, progress: Progress | None = None
    ) -> Bulk:
        """Delete these jobs, those of them that do not run; see `Client.delete_these`."""
        store = await asyncio.to_thread(lambda: self._client.store)
        known = [read_job_id(each) for each in job_ids]
        steps = await asyncio.to_thread(delete_these_in_steps, store, known)
        return await _walk(steps, Bulk(), progress)

    async def delete_many(
        self,
        *,
        limit: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        **filters: Unpack[Filters],
    ) -> Bulk:
        """Delete all jobs that the filters name and that do not run, in steps."""
        begin = partial(delete_in_steps, limit=limit, dry_run=dry_run)
        return await self._change_many(DELETE, begin, filters, progress)

    async def prune(
        self, *, dry_run: bool = False, progress: PruneProgress | None = None
    ) -> PruneReport:
        """Take away now all that is past its time, in short steps; see `Client.prune`."""
        store = await asyncio.to_thread(lambda: self._client.store)
        return await _walk(recorded_prune(store, dry_run=dry_run), PruneReport(), progress)

    async def _change_many(
        self,
        verb: Verb,
        begin: partial[Iterator[Bulk]],
        filters: Filters,
        progress: Progress | None,
        *,
        by: str | None = None,
    ) -> Bulk:
        """Take one step after the other in a thread; `progress` is told here, on the loop."""
        store, where = await asyncio.to_thread(lambda: self._client.store), read_filter(filters)
        return await _walk(recorded_bulk(verb, begin, store, where, by=by), Bulk(), progress)


async def _walk(
    steps: Iterator[Sums], done: Sums, progress: Callable[[Sums], object] | None
) -> Sums:
    """Go through a walk, each step in a thread; returns the last sums.

    Cancelled, it ends after the present step: whoever drops the walk then ends it.
    """
    while (step := await asyncio.to_thread(next, steps, None)) is not None:
        done = step
        if progress is not None:
            progress(done)
    return done
