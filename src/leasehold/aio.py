"""The client for asyncio: the same verbs, awaited. The work is done by `Client` in threads."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from leasehold.acting import acting_as
from leasehold.async_access import AsyncAudit, AsyncTokens
from leasehold.async_alerts import AsyncAlerts
from leasehold.async_batches import AsyncBatches
from leasehold.async_changing import AsyncChanging
from leasehold.async_control import AsyncQueues, AsyncRetentions, AsyncShares, AsyncThrottles
from leasehold.async_looking import AsyncLooking
from leasehold.async_quotas import AsyncQuotas
from leasehold.async_schedules import AsyncSchedules
from leasehold.async_secrets import AsyncCredentials, AsyncEncryption
from leasehold.async_statistics import AsyncStats
from leasehold.async_waiting import each_ended_async, wait_many_async
from leasehold.client import Client
from leasehold.enqueuing import DEFAULT_CHUNK, AsyncEnqueuer, traced_async_write
from leasehold.model.drawing import FOLD_ABOVE
from leasehold.store.callers import bind_async_caller
from leasehold.waiting import results_of

if TYPE_CHECKING:
    from collections.abc import (
        AsyncIterator,
        Coroutine,
        Iterable,
        Mapping,
        Sequence,
    )
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self, Unpack
    from uuid import UUID

    from leasehold.model.audit import Actor
    from leasehold.model.durations import Duration
    from leasehold.model.values import NewJob
    from leasehold.options import Callback, JobOptions
    from leasehold.sealing.keyring import Keyring
    from leasehold.store.base import Answers, Store
    from leasehold.task import Call, Enqueued, Task
    from leasehold.waiting import Awaited, Finished
    from leasehold.workflow import StartedWorkflow, Workflow

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class AsyncClient(AsyncLooking, AsyncChanging):
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

    async def _write(self, jobs: Sequence[NewJob]) -> Answers:
        return await asyncio.to_thread(self._client.write, jobs)
