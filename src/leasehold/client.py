"""The client: enqueue jobs and wait for them; `looking` and `changing` have its other verbs."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, overload

from leasehold.acting import acting_as
from leasehold.alerts import Alerts
from leasehold.auditing import Audit
from leasehold.batches import Batches
from leasehold.changing import Changing
from leasehold.checking import check_name
from leasehold.control import Queues, Shares, Throttles
from leasehold.credentials import Credentials
from leasehold.encryption import Encryption
from leasehold.enqueuing import DEFAULT_CHUNK, Enqueuer, traced_write
from leasehold.errors import BadOption, ForeignTenant
from leasehold.id_source import IdSource
from leasehold.keeping import Retentions
from leasehold.looking import Looking
from leasehold.model.drawing import FOLD_ABOVE
from leasehold.quotas import Quotas
from leasehold.schedules import Schedules
from leasehold.sealing.keyring import read_environment
from leasehold.statistics import Stats
from leasehold.store import open_store
from leasehold.store.callers import bind_caller
from leasehold.store.tenants.store import TenantStore
from leasehold.task import Task
from leasehold.tokens import Tokens
from leasehold.waiter import Waiter
from leasehold.waiting import each_ended, results_of, wait_many
from leasehold.workflow import StartedWorkflow, draw_jobs
from leasehold.writing import Writer

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self, Unpack
    from uuid import UUID

    from leasehold.model.audit import Actor
    from leasehold.model.durations import Duration
    from leasehold.model.ids import JobId
    from leasehold.model.values import NewJob
    from leasehold.options import Callback, JobOptions
    from leasehold.sealing.keyring import Keyring
    from leasehold.store.base import Answers, Store
    from leasehold.task import Call, Enqueued
    from leasehold.waiting import Awaited, Finished
    from leasehold.workflow import Workflow

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

URL_VARIABLE = "LEASEHOLD_URL"
DEFAULT_URL = "sqlite:///leasehold.db"


class Client(Looking, Changing):
    """A queue's front door. Safe to share between threads; opens its store at first use.

    Without a url it is the one in LEASEHOLD_URL, else `sqlite:///leasehold.db`. A store that is
    passed in stays its owner's: `close` leaves it open. The keyring, which encrypts, is the one
    given, else that of LEASEHOLD_KEYS, else none.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        store: Store | None = None,
        keyring: Keyring | None = None,
    ) -> None:
        if url is not None and store is not None:
            raise BadOption("give either a url or a store, not both")
        if keyring is not None and store is not None:
            raise BadOption("a store that is passed in has its own keyring: set store.keyring")
        self._url = url
        self._keyring = keyring
        self._given_store = store
        self._opened_store: Store | None = None
        self._opening = threading.Lock()
        self._ids = IdSource()
        self._writer = writer = Writer(lambda: self.store, lambda: self.tenant)
        self._enqueuer = Enqueuer(
            self._ids, writer.write, writer.begin, is_for_tenant=self.tenant is not None
        )
        self.throttles = Throttles(lambda: self.store, lambda: self.tenant)
        self.shares = Shares(lambda: self.store)
        self.queues = Queues(lambda: self.store)
        self.waiter = Waiter(lambda: self.store)
        self.schedules = Schedules(lambda: self.store, self._ids)
        self.retention = Retentions(lambda: self.store)
        self.stats = Stats(lambda: self.store)
        self.alerts = Alerts(lambda: self.store)
        self.quotas = Quotas(lambda: self.store)
        self.tokens = Tokens(lambda: self.store)
        self.audit = Audit(lambda: self.store)
        self.encryption = Encryption(lambda: self.store)
        self.credentials = Credentials(lambda: self.store, lambda: self.tenant)
        self.batches = Batches(lambda: self.store, self._ids, writer.write, writer.begin)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def store(self) -> Store:
        """The database behind the queue, opened when first asked for."""
        store = self._given_store or self._opened_store
        if store is not None:
            return store
        with self._opening:
            if self._opened_store is None:
                store = open_store(self._choose_url())
                store.keyring = self._keyring or read_environment()
                self._opened_store = store
            return self._opened_store

    @property
    def url(self) -> str:
        """Where the database is; it may hold a password."""
        return self.store.url

    def _choose_url(self) -> str:
        return os.environ.get(URL_VARIABLE) or DEFAULT_URL if self._url is None else self._url

    @property
    def tenant(self) -> str | None:
        """The one tenant that this client acts for; None: it sees and changes all."""
        store = self._given_store
        return store.tenant if isinstance(store, TenantStore) else None

    def for_tenant(self, tenant: str) -> Client:
        """Return a client that sees and changes only what is this tenant's, on this one's store.

        Another tenant's job, batch, key or schedule is not there for it; what concerns all tenants
        (pausing a queue, listing workers, retention, …) is `NotForTenants`; jobs that it enqueues
        are the tenant's. It need not be closed, and is no more when this one is.
        """
        if self.tenant is not None:
            if tenant != self.tenant:
                raise ForeignTenant(self.tenant, tenant)
            return self
        known = check_name("tenant", tenant)
        return Client(store=TenantStore(lambda: self.store, known))

    def acting_as(self, actor: Actor) -> AbstractContextManager[None]:
        """Let what is done inside be this actor's doing in the audit record, on any client."""
        return acting_as(actor)

    @property
    def ids(self) -> IdSource:
        """Where this client's job ids come from."""
        return self._ids

    def close(self) -> None:
        """Close what this client opened, and its waits. Safe twice; a later call opens it again."""
        self.waiter.close()
        with self._opening:
            store, self._opened_store = self._opened_store, None
        if store is not None:
            store.close()

    # -- enqueue ---------------------------------------------------------------------------------
    def enqueue(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Enqueued[R]:
        """Enqueue one job; it is safe in the database when this returns.

        Options go on the task: `client.enqueue(send.with_options(delay="5m"), 7)`.
        """
        return self._enqueuer.enqueue(task, *args, **kwargs)

    def enqueue_many(
        self,
        calls: Iterable[Call],
        *,
        chunk: int = DEFAULT_CHUNK,
        ids: Iterable[UUID] | None = None,
    ) -> int:
        """Enqueue many `task.call(...)`s; returns how many jobs are new.

        Each chunk is written whole or not at all. When one fails, those before it are written.
        `ids` are fresh ones, one for each call, as `client.ids.take(n)` makes them: rows of your
        own may then name the jobs before they are written.
        """
        return self._enqueuer.enqueue_many(calls, chunk=chunk, ids=ids)

    def enqueue_all(
        self, calls: Iterable[Call], *, chunk: int = DEFAULT_CHUNK
    ) -> list[Enqueued[Any]]:
        """Do the same; answers for each call, in order."""
        return self._enqueuer.enqueue_all(calls, chunk=chunk)

    def enqueue_by_name(
        self, kind: str, args: Mapping[str, Any] | None = None, **options: Unpack[JobOptions]
    ) -> Enqueued[Any]:
        """Enqueue without the handler's code: the worker, not this call, checks the arguments.

        The queue and what else is not given are the library's defaults, not the handler's.
        """
        return self._enqueuer.enqueue_by_name(kind, args, **options)

    def start(
        self,
        flow: Workflow,
        *,
        meta: Mapping[str, Any] | None = None,
        on_end: Callback | None = None,
        on_failure: Callback | None = None,
        created_by: str | None = None,
    ) -> StartedWorkflow:
        """Enqueue all steps of a workflow in one transaction, as a batch; names their jobs.

        `BadWorkflow` when it can't work, and then nothing is written.
        """
        return self.batches.start(
            flow, meta=meta, on_end=on_end, on_failure=on_failure, created_by=created_by
        )

    def draw(self, batch: StartedWorkflow | UUID | str, *, fold_above: int = FOLD_ABOVE) -> str:
        """Draw the members of a batch as they stand, a Mermaid flowchart coloured by state."""
        names: Mapping[JobId, str] = {}
        if isinstance(batch, StartedWorkflow):
            names = {job_id: name for name, job_id in batch.ids.items()}
            if batch.batch is None:
                jobs = [self.get(job_id) for job_id in names]
                return draw_jobs(jobs, names, fold_above=fold_above)
            batch = batch.batch
        self.batches.get(batch)  # else `BatchNotFound`
        return draw_jobs(self.each(batch=batch, page=1_000), names, fold_above=fold_above)

    def on(self, connection: object) -> Enqueuer:
        """Enqueue on the caller's connection, inside its transaction: rolled back, it never was.

        Takes a connection of psycopg, SQLAlchemy (Connection, Session; an Engine commits by
        itself), Django or sqlite3.
        """
        write = traced_write(bind_caller(self.store, connection))
        return Enqueuer(self._ids, write, is_for_tenant=self.tenant is not None)

    def write(self, jobs: Sequence[NewJob]) -> Answers:
        """Write jobs that are built already; tells of those that were not simply written."""
        return self._writer.write(jobs)

    # -- wait ------------------------------------------------------------------------------------
    @overload
    def wait(self, job: Enqueued[Coroutine[Any, Any, T]], timeout: Duration | None = None) -> T: ...
    @overload
    def wait(self, job: Enqueued[R], timeout: Duration | None = None) -> R: ...
    @overload
    def wait(self, job: UUID | str, timeout: Duration | None = None) -> Any: ...
    def wait(self, job: Awaited, timeout: Duration | None = None) -> Any:
        """Wait until the job has ended; returns its result, read as its task's annotation says.

        By its id alone it is plain JSON. `JobFailed` when it is dead, `JobCancelled`,
        `JobNotFound` when it is not there (any more), `WaitTimeout` when it has not ended in time.
        One that failed and will be tried again is waited for.
        """
        (done,) = wait_many(self.waiter, [job], timeout)
        return done.result()

    def wait_all(
        self,
        jobs: Iterable[Awaited],
        timeout: Duration | None = None,
        *,
        return_errors: bool = False,
    ) -> list[Any]:
        """Wait until all have ended; returns their results in order.

        The first that failed is raised then; with `return_errors` its error stands in its place.
        """
        done = wait_many(self.waiter, list(jobs), timeout)
        return results_of(done, return_errors=return_errors)

    def as_completed(
        self, jobs: Iterable[Awaited], timeout: Duration | None = None
    ) -> Iterator[Finished]:
        """Go through the jobs as they end, however they end; see `Finished.result`."""
        for _, done in each_ended(self.waiter, list(jobs), timeout):
            yield done
