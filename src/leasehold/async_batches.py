"""`client.batches` for asyncio: the same verbs, awaited, in threads."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from leasehold.enqueuing import DEFAULT_CHUNK

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Self, Unpack
    from uuid import UUID

    from leasehold.batches import Batch, Batches, BatchFilters, BatchOptions, CreateOptions
    from leasehold.model.batches import BatchInfo
    from leasehold.model.ids import JobId
    from leasehold.task import Call, Enqueued, Task
    from leasehold.workflow import StartedWorkflow, Workflow

P = ParamSpec("P")
R = TypeVar("R")


class AsyncBatches:
    """Jobs that belong together: counted, cancelled and retried as one, with one callback."""

    def __init__(self, batches: Batches) -> None:
        self._batches = batches

    async def create(self, **options: Unpack[CreateOptions]) -> AsyncBatch:
        """Make a batch, open for members; the options are those of `Batches.create`."""
        return AsyncBatch(await asyncio.to_thread(self._batches.create, **options))

    async def start(self, flow: Workflow, **options: Any) -> StartedWorkflow:
        """Write a workflow as a batch; the options are those of `Batches.start`."""
        return await asyncio.to_thread(self._batches.start, flow, **options)

    def batch(self, batch_id: UUID | str, *, tenant: str = "") -> AsyncBatch:
        """Return a handle to add to a batch that was made elsewhere."""
        return AsyncBatch(self._batches.batch(batch_id, tenant=tenant))

    async def get(self, batch_id: UUID | str) -> BatchInfo:
        """Return what it is and how its members stand, at one moment; else `BatchNotFound`."""
        return await asyncio.to_thread(self._batches.get, batch_id)

    async def list(self, **filters: Unpack[BatchFilters]) -> list[BatchInfo]:
        """List batches, newest first; the filters are those of `Batches.list`."""
        return await asyncio.to_thread(self._batches.list, **filters)

    async def seal(self, batch_id: UUID | str) -> BatchInfo:
        """Let only its running members add to it from now on: it ends with the last of them."""
        return await asyncio.to_thread(self._batches.seal, batch_id)

    async def cancel(self, batch_id: UUID | str, *, by: str | None = None) -> BatchInfo:
        """Cancel all members that have not ended, of nested batches too."""
        return await asyncio.to_thread(self._batches.cancel, batch_id, by=by)

    async def retry_failed(self, batch_id: UUID | str) -> BatchInfo:
        """Run its dead and cancelled members anew, as another round."""
        return await asyncio.to_thread(self._batches.retry_failed, batch_id)


class AsyncBatch:
    """A batch to add to. Used with `async with` it is sealed at the end, or cancelled by an error.

    Members that are to be written in a caller's transaction go through
    `AsyncClient.on(connection)` and `task.with_options(batch=batch.id)`.
    """

    def __init__(self, batch: Batch) -> None:
        self._batch = batch

    def __repr__(self) -> str:
        return repr(self._batch)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self._batch.__exit__, kind, error, trace)

    @property
    def id(self) -> JobId:
        return self._batch.id

    async def add(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Enqueued[R]:
        """Enqueue one member. It may start at once, before the batch is sealed."""
        return await asyncio.to_thread(self._batch.add, task, *args, **kwargs)

    async def add_many(self, calls: Iterable[Call], *, chunk: int = DEFAULT_CHUNK) -> int:
        """Enqueue many `task.call(...)`s as members; returns how many jobs are new."""
        return await asyncio.to_thread(self._batch.add_many, calls, chunk=chunk)

    async def nest(self, **options: Unpack[BatchOptions]) -> AsyncBatch:
        """Make a batch inside this one, which ends after it; the options are `create`'s."""
        return AsyncBatch(await asyncio.to_thread(self._batch.nest, **options))

    async def info(self) -> BatchInfo:
        """Say what it is and how its members stand."""
        return await asyncio.to_thread(self._batch.info)

    async def seal(self) -> BatchInfo:
        """Let only its running members add to it: it ends with the last of them."""
        return await asyncio.to_thread(self._batch.seal)

    async def cancel(self, *, by: str | None = None) -> BatchInfo:
        """Cancel all members that have not ended."""
        return await asyncio.to_thread(self._batch.cancel, by=by)

    async def retry_failed(self) -> BatchInfo:
        """Run its dead and cancelled members anew, as another round."""
        return await asyncio.to_thread(self._batch.retry_failed)
