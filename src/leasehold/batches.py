"""Batches as callers have them: `with client.batches.create(on_end=report) as batch: …`."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ParamSpec, TypedDict, TypeVar, cast

from msgspec import Raw, structs

from leasehold.acting import NOBODY, current_actor, recorded, who
from leasehold.bulk import STEP, retry_in_steps
from leasehold.calling_back import batch_callback
from leasehold.checking import check_name, read_callback, read_job_id
from leasehold.enqueuing import DEFAULT_CHUNK, Enqueuer, traced_write
from leasehold.errors import BadOption, BatchNotFound, StoreError, StoreUnavailable
from leasehold.model.batches import BatchFilter, BatchStatus, NewBatch
from leasehold.model.states import State
from leasehold.model.values import Filter
from leasehold.payload import check_syntax, encode
from leasehold.store.callers import bind_caller
from leasehold.tracing import is_traced, producing
from leasehold.workflow import StartedWorkflow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from types import TracebackType
    from typing import Self, Unpack
    from uuid import UUID

    from leasehold.acting import Doing
    from leasehold.enqueuing import Begin, Write
    from leasehold.id_source import IdSource
    from leasehold.model.batches import Adder, BatchInfo
    from leasehold.model.ids import JobId
    from leasehold.model.values import NewJob
    from leasehold.options import Callback
    from leasehold.store.base import Store
    from leasehold.task import Call, Enqueued, Task
    from leasehold.workflow import Workflow

P = ParamSpec("P")
R = TypeVar("R")

DEFAULT_PAGE = 100
META_LIMIT = 262_144
_TRIES = 10  # at members that move while they are cancelled
_logger = logging.getLogger("leasehold.client")


class BatchOptions(TypedDict, total=False):
    """What can be said of a batch; see `Batches.create`."""

    name: str | None
    meta: Mapping[str, Any] | None
    on_end: Callback | None
    on_failure: Callback | None
    tenant: str
    created_by: str | None
    id: UUID | str | None


class CreateOptions(BatchOptions, total=False):
    """… of one that may be nested."""

    parent: UUID | str | None


class BatchFilters(TypedDict, total=False):
    """Which batches; what is missing or None does not restrict."""

    status: BatchStatus | str | None
    tenant: str | None
    name: str | None
    parent: UUID | str | None
    limit: int
    before: UUID | str | None


class Batches:
    """Jobs that belong together: counted, cancelled and retried as one, with one callback."""

    def __init__(
        self,
        store: Callable[[], Store],
        ids: IdSource,
        write: Write,
        begin: Begin | None = None,
        adder: Adder | None = None,
    ) -> None:
        self._store = store
        self._ids = ids
        self._write = write
        self._begin = begin
        self._adder = adder

    def create(
        self,
        *,
        name: str | None = None,
        meta: Mapping[str, Any] | None = None,
        on_end: Callback | None = None,
        on_failure: Callback | None = None,
        parent: UUID | str | None = None,
        tenant: str = "",
        created_by: str | None = None,
        id: UUID | str | None = None,  # noqa: A002 - as in a job's options
    ) -> Batch:
        """Make a batch, open for members.

        `on_end` is a task that is run once all members and nested batches have ended, `on_failure`
        one that is run when the first member is dead; both take `ended: BatchEnded`. The same id
        again is the same batch.
        """
        batch = NewBatch(
            id=self._ids.next() if id is None else read_job_id(id),
            tenant=tenant and check_name("tenant", tenant),
            name=None if name is None else check_name("name", name),
            parent=None if parent is None else read_job_id(parent, name="parent"),
            meta=None if meta is None else _read_meta(meta),
            on_end=batch_callback(read_callback("on_end", on_end), tenant),
            on_failure=batch_callback(read_callback("on_failure", on_failure), tenant),
            created_by=None if created_by is None else check_name("created_by", created_by),
            adder=self._adder,
        )
        _twice(lambda: self._store().create_batch(batch))
        return self.batch(batch.id, tenant=batch.tenant)

    def start(
        self,
        flow: Workflow,
        *,
        meta: Mapping[str, Any] | None = None,
        on_end: Callback | None = None,
        on_failure: Callback | None = None,
        created_by: str | None = None,
    ) -> StartedWorkflow:
        """Write a workflow as a batch of its name, whole and sealed, or not at all."""
        batch_id = self._ids.next()
        plan = flow.plan(self._ids, batch=batch_id)
        tenant = plan.jobs[0].tenant
        batch = NewBatch(
            id=batch_id,
            tenant=tenant,
            name=plan.name,
            meta=None if meta is None else _read_meta(meta),
            on_end=batch_callback(read_callback("on_end", on_end), tenant),
            on_failure=batch_callback(read_callback("on_failure", on_failure), tenant),
            created_by=None if created_by is None else check_name("created_by", created_by),
        )
        with producing(plan.jobs) if is_traced() else nullcontext(plan.jobs) as jobs:
            _twice(lambda: self._store().start_batch(batch, jobs))
        return StartedWorkflow(plan.name, plan.ids, batch.id)

    def batch(self, batch_id: UUID | str, *, tenant: str = "") -> Batch:
        """Return a handle to add to a batch that was made elsewhere, by whoever knows its id."""
        known = read_job_id(batch_id, name="batch")
        return Batch(self, known, tenant, self._joined(known, self._adder))

    def get(self, batch_id: UUID | str) -> BatchInfo:
        """Return what it is and how its members stand, at one moment; else `BatchNotFound`."""
        known = read_job_id(batch_id, name="batch")
        found = self._store().get_batch(known)
        if found is None:
            raise BatchNotFound(known)
        return found

    def list(
        self,
        *,
        status: BatchStatus | str | None = None,
        tenant: str | None = None,
        name: str | None = None,
        parent: UUID | str | None = None,
        limit: int = DEFAULT_PAGE,
        before: UUID | str | None = None,
    ) -> list[BatchInfo]:
        """List batches, newest first. For the next page pass the last one's id as `before`."""
        if limit < 1:
            raise BadOption(f"limit: {limit!r} is not a positive number")
        where = BatchFilter(
            status=None if status is None else _read_status(status),
            tenant=tenant,
            name=name,
            parent=None if parent is None else read_job_id(parent, name="parent"),
        )
        start = None if before is None else read_job_id(before, name="before")
        return self._store().find_batches(where, before=start, limit=limit)

    def seal(self, batch_id: UUID | str) -> BatchInfo:
        """Let only its running members add to it from now on: it ends with the last of them.

        `BatchBusy` when a transaction that is still open has added to it.
        """
        known = read_job_id(batch_id, name="batch")
        # Code that fills a batch seals it: only what somebody does by hand is worth a row.
        is_by_hand = current_actor() != NOBODY
        with self._recorded("batch.seal", known) if is_by_hand else nullcontext():
            self._seal(known)
        self._follow([known])
        return self.get(known)

    def _seal(self, batch_id: JobId) -> None:
        if self._store().seal_batch(batch_id) is None:
            raise BatchNotFound(batch_id)

    def cancel(self, batch_id: UUID | str, *, by: str | None = None) -> BatchInfo:
        """Cancel all members that have not ended, of nested batches too; it takes no more of them.

        Running members are told to stop. A batch that has ended stays as it is. When this fails
        half-way, a worker's sweep goes on with it.
        """
        known = read_job_id(batch_id, name="batch")
        with self._recorded("batch.cancel", known, by=by) as doing:
            before = self.get(known)
            doing.count = before.counts.total - before.counts.ended
            marked = self._store().cancel_batch(known, by=who(by))
            if marked is None:
                raise BatchNotFound(known)
        if self.get(known).status is BatchStatus.CANCELLING:
            cancel_members(self._store(), marked, who(by))
            self._follow(marked[::-1])
        return self.get(known)

    def retry_failed(self, batch_id: UUID | str) -> BatchInfo:
        """Run its dead and cancelled members anew.

        A batch that has ended is opened for it and sealed again: another round, which ends with
        callbacks of its own. When it fails half-way, call it again.
        """
        known = read_job_id(batch_id, name="batch")
        before = self.get(known)
        if before.counts.dead + before.counts.cancelled == 0 and before.status.is_final:
            return before
        with self._recorded("batch.retry", known) as doing:
            doing.count = before.counts.dead + before.counts.cancelled
            self._store().reopen_batch(known)
        for state in (State.DEAD, State.CANCELLED):
            where = Filter(batch=known, state=state)
            for _ in retry_in_steps(self._store(), where, limit=None, dry_run=False):
                pass
        if before.status.is_final or before.round > 1:  # else it was never sealed, or is
            self._seal(known)
            self._follow([known])
        return self.get(known)

    def _recorded(
        self, action: str, batch_id: JobId, *, by: str | None = None
    ) -> AbstractContextManager[Doing]:
        """Change a batch, and write down that it was done."""
        tenant = self._store().batch_owners([batch_id]).get(batch_id, "")
        return recorded(self._store(), action, batch_id, by=by, tenant=tenant)

    def _follow(self, batches: Sequence[JobId]) -> None:
        """End what is over; what could not be looked at now is left to the workers' sweep."""
        with suppress(StoreError):
            self._store().follow_batches(batches)

    def _joined(self, batch_id: JobId, adder: Adder | None) -> Enqueuer:
        write, begin = self._write, self._begin
        join = partial(_join, batch_id, adder)
        return Enqueuer(
            self._ids,
            lambda jobs: write(join(jobs)),
            None if begin is None else lambda jobs: begin(join(jobs)),
        )

    def joined_on(self, batch_id: JobId, connection: object) -> Enqueuer:
        """Do the same on a caller's connection, inside its transaction."""
        write = traced_write(bind_caller(self._store(), connection))
        join = partial(_join, batch_id, self._adder)
        return Enqueuer(self._ids, lambda jobs: write(join(jobs)))


class Batch:
    """A batch to add to. Used with `with` it is sealed at the end, or cancelled by an error."""

    def __init__(self, batches: Batches, batch_id: JobId, tenant: str, enqueuer: Enqueuer) -> None:
        self._batches = batches
        self.id = batch_id
        self.tenant = tenant
        self._enqueuer = enqueuer
        self._of_tenant: dict[Task[..., Any], Task[..., Any]] = {}

    def __repr__(self) -> str:
        return f"<Batch {self.id}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self.seal()
            return
        try:
            self.cancel(by=f"{type(error).__name__} while it was filled")
        except StoreError as trouble:  # the error that is on its way matters more
            extra = {"batch": str(self.id), "error": str(trouble)}
            _logger.warning("batch left open", extra=extra)

    def add(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Enqueued[R]:
        """Enqueue one member. It may start at once, before the batch is sealed."""
        return self._enqueuer.enqueue(self._own(task), *args, **kwargs)

    def add_many(self, calls: Iterable[Call], *, chunk: int = DEFAULT_CHUNK) -> int:
        """Enqueue many `task.call(...)`s as members; returns how many jobs are new."""
        return self._enqueuer.enqueue_many(map(self._own_call, calls), chunk=chunk)

    def on(self, connection: object) -> Batch:
        """Add members on the caller's connection, inside its transaction; see `Client.on`.

        The batch can't be sealed by others until that transaction has ended.
        """
        joined = self._batches.joined_on(self.id, connection)
        return Batch(self._batches, self.id, self.tenant, joined)

    def nest(self, **options: Unpack[BatchOptions]) -> Batch:
        """Make a batch inside this one, which ends after it; the options are `create`'s."""
        options.setdefault("tenant", self.tenant)
        return self._batches.create(parent=self.id, **options)

    def info(self) -> BatchInfo:
        """Say what it is and how its members stand."""
        return self._batches.get(self.id)

    def seal(self) -> BatchInfo:
        """Let only its running members add to it: it ends with the last of them."""
        return self._batches.seal(self.id)

    def cancel(self, *, by: str | None = None) -> BatchInfo:
        """Cancel all members that have not ended; see `Batches.cancel`."""
        return self._batches.cancel(self.id, by=by)

    def retry_failed(self) -> BatchInfo:
        """Run its dead and cancelled members anew; see `Batches.retry_failed`."""
        return self._batches.retry_failed(self.id)

    def _own(self, task: Task[P, R]) -> Task[P, R]:
        """Return the task for this batch's tenant, unless it says whose jobs it makes."""
        if not self.tenant or task.options.tenant:
            return task
        own = self._of_tenant.get(task)
        if own is None:
            own = self._of_tenant[task] = task.with_options(tenant=self.tenant)
        return cast("Task[P, R]", own)

    def _own_call(self, call: Call) -> Call:
        return structs.replace(call, task=self._own(call.task)) if self.tenant else call


def cancel_members(
    store: Store, batches: Sequence[JobId], by: str | None, *, steps: int | None = None
) -> None:
    """Cancel what has not ended in these batches, in steps, so many at most."""
    tries = _TRIES
    while tries > 0 and steps != 0 and (found := store.live_members(batches, limit=STEP)):
        if not store.cancel_many(found, by=by):
            tries -= 1  # they have just moved
        steps = None if steps is None else steps - 1


def _twice(write: Callable[[], object]) -> None:
    try:
        write()
    except StoreUnavailable:
        write()  # its answer may only have been lost: the ids make a second try harmless


def _join(batch_id: JobId, adder: Adder | None, jobs: Sequence[NewJob]) -> list[NewJob]:
    return [structs.replace(job, batch=batch_id, adder=adder) for job in jobs]


def _read_meta(meta: Mapping[str, Any]) -> Raw:
    def refuse(reason: str) -> BadOption:
        return BadOption(f"meta: {reason}")

    given: Any = meta
    if not hasattr(given, "items"):
        raise refuse(f"{meta!r} is not a mapping")
    raw = encode(dict(given), root="meta", limit=META_LIMIT, refuse=refuse)
    check_syntax(raw, root="meta", refuse=refuse)
    return Raw(raw)


def _read_status(value: str) -> BatchStatus:
    try:
        return BatchStatus(value)
    except ValueError:
        raise BadOption(f"status: {value!r} is not one of {', '.join(BatchStatus)}") from None
