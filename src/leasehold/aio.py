"""The client for asyncio: the same verbs, awaited. The work is done by `Client` in threads."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from leasehold.acting import acting_as, who
from leasehold.async_access import AsyncAudit, AsyncTokens
from leasehold.async_alerts import AsyncAlerts
from leasehold.async_batches import AsyncBatches
from leasehold.async_control import AsyncQueues, AsyncRetentions, AsyncShares, AsyncThrottles
from leasehold.async_quotas import AsyncQuotas
from leasehold.async_schedules import AsyncSchedules
from leasehold.async_secrets import AsyncCredentials, AsyncEncryption
from leasehold.async_statistics import AsyncStats
from leasehold.async_waiting import each_ended_async, wait_many_async
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
from leasehold.client import DEFAULT_PAGE, Client
from leasehold.enqueuing import DEFAULT_CHUNK, AsyncEnqueuer, traced_async_write
from leasehold.filtering import read_filter
from leasehold.keeping import PruneReport, recorded_prune
from leasehold.model.drawing import FOLD_ABOVE
from leasehold.store.callers import bind_async_caller
from leasehold.waiting import results_of

if TYPE_CHECKING:
    from collections.abc import (
        AsyncIterator,
        Callable,
        Coroutine,
        Iterable,
        Iterator,
        Mapping,
        Sequence,
    )
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self, Unpack
    from uuid import UUID

    from leasehold.bulk import Progress
    from leasehold.filtering import Filters
    from leasehold.keeping import PruneProgress
    from leasehold.model.audit import Actor
    from leasehold.model.durations import Duration
    from leasehold.model.keys import KeyInfo
    from leasehold.model.saving import Checkpoint, Step
    from leasehold.model.states import State
    from leasehold.model.values import Attempt, Job, NewJob, QueueCounts, WorkerInfo
    from leasehold.model.why import Why
    from leasehold.options import Callback, JobOptions
    from leasehold.paging import Page
    from leasehold.sealing.keyring import Keyring
    from leasehold.store.base import Answers, Store
    from leasehold.task import Call, Enqueued, Task
    from leasehold.waiting import Awaited, Finished
    from leasehold.workflow import StartedWorkflow, Workflow

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
Sums = TypeVar("Sums")


class AsyncClient:
    """`Client` for asyncio. Cancelling an await does not undo what its thread has begun."""

    def __init__(
        self,
        url: str | None = None,
        *,
        store: Store | None = None,
        keyring: Keyring | None = None,
    ) -> None:
        self._use(Client(url, store=store, keyring=keyring))

    def _use(self, client: Client) -> None:
        self._client = client
        self._enqueuer = AsyncEnqueuer(
            client.ids, self._write, is_for_tenant=client.tenant is not None
        )
        self.batches = AsyncBatches(self._client.batches)
        self.throttles = AsyncThrottles(self._client.throttles)
        self.shares = AsyncShares(self._client.shares)
        self.queues = AsyncQueues(self._client.queues, self._client.counts)
        self.schedules = AsyncSchedules(self._client.schedules)
        self.retention = AsyncRetentions(self._client.retention)
        self.stats = AsyncStats(self._client.stats)
        self.alerts = AsyncAlerts(self._client.alerts)
        self.quotas = AsyncQuotas(self._client.quotas)
        self.tokens = AsyncTokens(self._client.tokens)
        self.encryption = AsyncEncryption(self._client.encryption)
        self.credentials = AsyncCredentials(self._client.credentials)
        self.audit = AsyncAudit(self._client.audit)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def sync(self) -> Client:
        """The blocking client behind this one, for a `Worker` or a thread."""
        return self._client

    @property
    def store(self) -> Store:
        """The database behind the queue; opening it, at the first use, blocks."""
        return self._client.store

    @property
    def url(self) -> str:
        """Where the database is; it may hold a password."""
        return self._client.url

    @property
    def tenant(self) -> str | None:
        """The one tenant that this client acts for; None: it sees and changes all."""
        return self._client.tenant

    def for_tenant(self, tenant: str) -> AsyncClient:
        """Return a client that sees and changes only what is this tenant's; see `Client`."""
        client = AsyncClient.__new__(AsyncClient)
        client._use(self._client.for_tenant(tenant))  # noqa: SLF001 - it is one of us
        return client

    def acting_as(self, actor: Actor) -> AbstractContextManager[None]:
        """Let what is done inside be this actor's doing in the audit record, on any client."""
        return acting_as(actor)

    async def close(self) -> None:
        """Close what this client opened. Safe twice."""
        await asyncio.to_thread(self._client.close)

    async def enqueue(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Enqueued[R]:
        """Enqueue one job; it is safe in the database when this returns."""
        return await self._enqueuer.enqueue(task, *args, **kwargs)

    async def enqueue_many(
        self,
        calls: Iterable[Call],
        *,
        chunk: int = DEFAULT_CHUNK,
        ids: Iterable[UUID] | None = None,
    ) -> int:
        """Enqueue many `task.call(...)`s, each chunk whole or not at all; returns the new ones."""
        return await self._enqueuer.enqueue_many(calls, chunk=chunk, ids=ids)

    async def enqueue_all(
        self, calls: Iterable[Call], *, chunk: int = DEFAULT_CHUNK
    ) -> list[Enqueued[Any]]:
        """Do the same; answers for each call, in order."""
        return await self._enqueuer.enqueue_all(calls, chunk=chunk)

    async def enqueue_by_name(
        self, kind: str, args: Mapping[str, Any] | None = None, **options: Unpack[JobOptions]
    ) -> Enqueued[Any]:
        """Enqueue without the handler's code; see `Client.enqueue_by_name`."""
        return await self._enqueuer.enqueue_by_name(kind, args, **options)

    async def start(
        self,
        flow: Workflow,
        *,
        meta: Mapping[str, Any] | None = None,
        on_end: Callback | None = None,
        on_failure: Callback | None = None,
        created_by: str | None = None,
    ) -> StartedWorkflow:
        """Enqueue all steps of a workflow in one transaction; see `Client.start`."""
        return await asyncio.to_thread(
            self._client.start,
            flow,
            meta=meta,
            on_end=on_end,
            on_failure=on_failure,
            created_by=created_by,
        )

    async def draw(
        self, batch: StartedWorkflow | UUID | str, *, fold_above: int = FOLD_ABOVE
    ) -> str:
        """Draw the members of a batch as they stand; see `Client.draw`."""
        return await asyncio.to_thread(self._client.draw, batch, fold_above=fold_above)

    def on(self, connection: object) -> AsyncEnqueuer:
        """Enqueue on the caller's connection, inside its transaction: rolled back, it never was.

        Takes an async connection of psycopg, SQLAlchemy (AsyncConnection, AsyncSession; an
        AsyncEngine commits by itself), asyncpg or aiosqlite.
        """
        write = traced_async_write(bind_async_caller(self.store, connection))
        return AsyncEnqueuer(self._client.ids, write, is_for_tenant=self.tenant is not None)

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

    @overload
    async def wait(
        self,
        job: Enqueued[Coroutine[Any, Any, T]],
        timeout: Duration | None = None,  # noqa: ASYNC109 - of the wait, not of the await
    ) -> T: ...
    @overload
    async def wait(
        self,
        job: Enqueued[R],
        timeout: Duration | None = None,  # noqa: ASYNC109 - of the wait, not of the await
    ) -> R: ...
    @overload
    async def wait(
        self,
        job: UUID | str,
        timeout: Duration | None = None,  # noqa: ASYNC109 - of the wait, not of the await
    ) -> Any: ...
    async def wait(
        self,
        job: Awaited,
        timeout: Duration | None = None,  # noqa: ASYNC109 - WaitTimeout says which have not ended
    ) -> Any:
        """Wait until the job has ended; returns its result. See `Client.wait`.

        Thousands of waits are one look at the store now and then, and no thread each.
        """
        (done,) = await wait_many_async(self._client.waiter, [job], timeout)
        return done.result()

    async def wait_all(
        self,
        jobs: Iterable[Awaited],
        timeout: Duration | None = None,  # noqa: ASYNC109 - WaitTimeout says which have not ended
        *,
        return_errors: bool = False,
    ) -> list[Any]:
        """Wait until all have ended; returns their results in order. See `Client.wait_all`."""
        done = await wait_many_async(self._client.waiter, list(jobs), timeout)
        return results_of(done, return_errors=return_errors)

    async def as_completed(
        self,
        jobs: Iterable[Awaited],
        timeout: Duration | None = None,  # noqa: ASYNC109 - WaitTimeout says which have not ended
    ) -> AsyncIterator[Finished]:
        """Go through the jobs as they end, however they end; see `Finished.result`."""
        async for _, done in each_ended_async(self._client.waiter, list(jobs), timeout):
            yield done

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
        store = await asyncio.to_thread(lambda: self.store)
        known = [read_job_id(each) for each in job_ids]
        steps = await asyncio.to_thread(retry_these_in_steps, store, known)
        return await _walk(steps, Bulk(), progress)

    async def delete_these(
        self, job_ids: Iterable[UUID | str], *, progress: Progress | None = None
    ) -> Bulk:
        """Delete these jobs, those of them that do not run; see `Client.delete_these`."""
        store = await asyncio.to_thread(lambda: self.store)
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
        store = await asyncio.to_thread(lambda: self.store)
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
        store, where = await asyncio.to_thread(lambda: self.store), read_filter(filters)
        return await _walk(recorded_bulk(verb, begin, store, where, by=by), Bulk(), progress)

    async def _write(self, jobs: Sequence[NewJob]) -> Answers:
        return await asyncio.to_thread(self._client.write, jobs)


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
