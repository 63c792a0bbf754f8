"""`leasehold.looking` for asyncio."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from leasehold.looking import DEFAULT_PAGE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import Unpack
    from uuid import UUID

    from leasehold.client import Client
    from leasehold.filtering import Filters
    from leasehold.model.keys import KeyInfo
    from leasehold.model.saving import Checkpoint, Step
    from leasehold.model.values import Attempt, Job, QueueCounts, WorkerInfo
    from leasehold.model.why import Why
    from leasehold.paging import Page


class AsyncLooking:
    """The part of an async client that reads."""

    _client: Client

    async def get(self, job_id: UUID | str) -> Job:
        """Return the job, else `JobNotFound`."""
        return await asyncio.to_thread(self._client.get, job_id)

    async def reveal(self, job_id: UUID | str) -> Job:
        """Return the job, decrypted; see `Client.reveal`."""
        return await asyncio.to_thread(self._client.reveal, job_id)

    async def find(
        self,
        *,
        limit: int = DEFAULT_PAGE,
        before: UUID | str | None = None,
        **filters: Unpack[Filters],
    ) -> list[Job]:
        """List jobs, newest first. For the next page pass the last one's id as `before`."""
        return await asyncio.to_thread(self._client.find, limit=limit, before=before, **filters)

    async def page(
        self,
        *,
        limit: int = DEFAULT_PAGE,
        before: UUID | str | None = None,
        **filters: Unpack[Filters],
    ) -> Page:
        """List jobs as `find` does, but do not look for long for those that are rare."""
        return await asyncio.to_thread(self._client.page, limit=limit, before=before, **filters)

    async def each(
        self, *, page: int = DEFAULT_PAGE, **filters: Unpack[Filters]
    ) -> AsyncIterator[Job]:
        """Go through all jobs, newest first, reading them page by page."""
        before: UUID | None = None
        while True:
            jobs = await self.find(limit=page, before=before, **filters)
            for job in jobs:
                yield job
            if len(jobs) < page:
                return
            before = jobs[-1].id

    async def history(self, job_id: UUID | str) -> list[Attempt]:
        """List the job's ended attempts, oldest first."""
        return await asyncio.to_thread(self._client.history, job_id)

    async def checkpoint(self, job_id: UUID | str) -> Checkpoint | None:
        """Return how far the job is, as it has saved it itself; None when it has saved nothing."""
        return await asyncio.to_thread(self._client.checkpoint, job_id)

    async def steps(self, job_id: UUID | str) -> list[Step]:
        """List the steps that the job remembers, oldest first."""
        return await asyncio.to_thread(self._client.steps, job_id)

    async def why(self, job_id: UUID | str) -> Why:
        """Say why the job does not run now, and what to do about it."""
        return await asyncio.to_thread(self._client.why, job_id)

    async def key(self, key: str, *, tenant: str = "") -> KeyInfo | None:
        """Say which job has a key, live or remembered; None when nothing is known of it."""
        return await asyncio.to_thread(self._client.key, key, tenant=tenant)

    async def counts(self) -> list[QueueCounts]:
        """Count the live jobs of each queue."""
        return await asyncio.to_thread(self._client.counts)

    async def workers(self) -> list[WorkerInfo]:
        """List the workers that have shown themselves."""
        return await asyncio.to_thread(self._client.workers)
