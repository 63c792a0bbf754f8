"""The store on PostgreSQL. Each method is one operation of `leasehold.store.base.Store`."""

from __future__ import annotations

import os
import time
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from leasehold.model.values import Connections, NewJob
from leasehold.store.base import (
    ANY_QUEUE,
    Answers,
    EnqueueScript,
    SchemaStatus,
    arrivals_of,
    dependents_in,
    keys_of,
    made_of,
)
from leasehold.store.postgres import rows, schema
from leasehold.store.postgres.access import Access
from leasehold.store.postgres.alerts import Alerts
from leasehold.store.postgres.async_pool import AsyncPool
from leasehold.store.postgres.audit import Audit, HeldConnection
from leasehold.store.postgres.batches import Batches
from leasehold.store.postgres.bounds import Bounds, TenantPool
from leasehold.store.postgres.bulk import Many
from leasehold.store.postgres.claiming import Claims
from leasehold.store.postgres.connection import Borrowed, Own, Pool, Shielded
from leasehold.store.postgres.enqueuing import Enqueuing, are_plain_and_alike
from leasehold.store.postgres.keeping import Keeping
from leasehold.store.postgres.moving import Moving, refuse_moved
from leasehold.store.postgres.needing import Dependents
from leasehold.store.postgres.operators import Operators
from leasehold.store.postgres.people import People
from leasehold.store.postgres.quotas import Quotas
from leasehold.store.postgres.results import Results
from leasehold.store.postgres.roles import find_prefix
from leasehold.store.postgres.rules import Rules
from leasehold.store.postgres.saving import Saving
from leasehold.store.postgres.schedules import Schedules
from leasehold.store.postgres.secrets import Secrets
from leasehold.store.postgres.statements import Statements
from leasehold.store.postgres.statistics import Statistics
from leasehold.store.postgres.tenancy import Tenancy
from leasehold.store.postgres.tending import Tending
from leasehold.store.postgres.timing import Timing
from leasehold.store.postgres.vitals import Vital
from leasehold.store.postgres.waking import LOOKS_SECONDS, Notifier, PostgresWaker
from leasehold.store.postgres.working import Working
from leasehold.store.shield import shielded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from leasehold.store.postgres.connection import Connection, Source
    from leasehold.store.postgres.statements import Sending

_FLUSH_SECONDS = 0.5

_encode = msgspec.json.Encoder().encode


class Bounded(NamedTuple):
    """What a tenant's store has in common with the whole one."""

    tenant: str
    pool: TenantPool
    notifier: Callable[[], Notifier]


class PostgresStore(
    Working,
    Operators,
    Results,
    Saving,
    Schedules,
    Keeping,
    Batches,
    Moving,
    Timing,
    Statistics,
    Vital,
    Alerts,
    Secrets,
    Quotas,
    Tenancy,
    Tending,
    Access,
    Audit,
):
    """Jobs in the schema `leasehold` of one PostgreSQL database."""

    def __init__(
        self, url: str, *, source: Source | None = None, bounded: Bounded | None = None
    ) -> None:
        self.url = url
        self.skew_seconds = 0.0
        self._bounded = bounded
        self._pool = Pool(url) if bounded is None else bounded.pool
        self._bounds = Bounds(self._pool)
        self._async_pool = AsyncPool(url)
        self._source: Source = source or self._pool
        self._notifier = Notifier(self._pool)
        self._held = HeldConnection()
        # In a tenant's transaction nothing may fail and be tried again in another way.
        self._statements = Statements(is_preparing=bounded is None)
        self._enqueuing = Enqueuing(self._statements, is_plain_allowed=bounded is None)
        self._people = People(
            self._lend, self._statements, lambda: self.skew_seconds, self._wake_called
        )
        self._many = Many(self._lend, self._people)
        self._dependents = Dependents(self._run, self._lend, lambda: self.skew_seconds)
        self._rules = Rules(
            self._lend, self._statements, skew=lambda: self._skew, wake=self._wake_all
        )
        self._claims = {
            is_for_suspects: Claims(self._run, self._ask_as_sent, is_for_suspects=is_for_suspects)
            for is_for_suspects in (False, True)
        }
        self._gated: dict[tuple[str, bool], Claims] = {}  # of queues with a limit
        self._pid = os.getpid()

    # -- the tables ------------------------------------------------------------------------------
    def schema(self) -> SchemaStatus:
        with self._lend() as connection:
            return schema.status(connection)

    def migrate(self) -> tuple[str, ...]:
        with self._lend() as connection:
            applied = schema.migrate(connection)
            if applied and find_prefix(connection) is not None:
                self.set_up_roles()  # what is new has its rights and policies with it
            return applied

    def check_schema(self) -> None:
        with self._lend() as connection:
            schema.check(connection)
            refuse_moved(connection)

    def close(self) -> None:
        if self._bounded is not None:
            return  # all that it has is the whole store's
        self._notifier.close(_FLUSH_SECONDS)
        self._source.close()
        self._pool.close()
        self._async_pool.close()

    def dedicated(self) -> PostgresStore:
        store = PostgresStore(self.url, source=Own(self.url))
        store.skew_seconds = self.skew_seconds
        store.keyring = self.keyring
        return store

    # -- enqueue ---------------------------------------------------------------------------------
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        jobs = self._sealed(jobs)
        with self._lend() as connection:
            wake = self._wake_at_once(connection, jobs)
            asked_at = time.monotonic()
            answers = self._enqueuing.write(connection, jobs, self.skew_seconds, wake=wake)
        # Who was woken ahead of a job that took so long to commit may have given it up.
        if wake is None or time.monotonic() - asked_at > LOOKS_SECONDS:
            self._after_enqueue(jobs, answers)
        return answers

    def _after_enqueue(self, jobs: Sequence[NewJob], answers: Answers) -> None:
        self.notify(arrivals_of(made_of(jobs, answers)))
        if waiting := dependents_in(jobs):  # for jobs that may have ended by now
            self._tell_of(self._dependents.look_at(waiting, recent=None))

    def _wake_at_once(self, connection: Connection, jobs: Sequence[NewJob]) -> str | None:
        """Return the wake-up that may go out ahead of this job, if any."""
        notifier = self._own_notifier()
        is_direct = connection.prepare_threshold is not None and self._bounded is None
        if is_direct and len(jobs) == 1 and notifier.is_quiet and are_plain_and_alike(jobs):
            return notifier.take_turn(str(jobs[0].queue))
        return None

    def begin_enqueue(self, jobs: Sequence[NewJob]) -> Callable[[], Answers]:
        steps = self._enqueue_in_steps(self._sealed(jobs))

        def take_step() -> Answers:
            with shielded():  # not between the steps, where the caller is at work
                return next(steps)

        take_step()
        return take_step

    def _enqueue_in_steps(self, jobs: Sequence[NewJob]) -> Iterator[Answers]:
        with Borrowed(self._pool) as connection:
            finish = self._enqueuing.begin(connection, jobs, self.skew_seconds)
            yield {}
            answers = finish()
        self._after_enqueue(jobs, answers)
        yield answers

    def enqueue_script(self, jobs: Sequence[NewJob]) -> EnqueueScript:
        jobs = self._sealed(jobs)
        parameters = {"jobs": _encode(jobs).decode(), "skew_seconds": self.skew_seconds}
        if keys_of(jobs):
            found = yield self._for_caller("enqueue_keyed", parameters)
            return dict(map(rows.standing, found))
        found = yield self._for_caller("enqueue", parameters)
        return dict(rows.existing(row[0]) for row in found)

    def notify(self, arrivals: Mapping[str, int]) -> None:
        if self._held.arrivals is not None:  # not before what they are told of is committed
            self._held.arrivals.update(arrivals)
            return
        self._own_notifier().notify(arrivals)

    def _wake_all(self) -> None:
        """Somebody has opened something: whoever has room should look."""
        self.notify({ANY_QUEUE: 1})

    def _wake_called(self, queues: Sequence[str] | None) -> None:
        """Callbacks were made, and are committed."""
        if queues:
            self.notify(Counter(queues))

    def as_tenant(self, tenant: str) -> PostgresStore:
        pool = TenantPool(self._pool, self._bounds, tenant)
        store = PostgresStore(self.url, bounded=Bounded(tenant, pool, self._own_notifier))
        store.skew_seconds = self.skew_seconds
        return store

    def _own_notifier(self) -> Notifier:
        if self._bounded is not None:
            return self._bounded.notifier()
        if self._pid != os.getpid():
            self._pid, self._notifier = os.getpid(), Notifier(self._pool)
        return self._notifier

    # -- how it is reached -----------------------------------------------------------------------
    def connections(self) -> Connections:
        return self._pool.count()

    def waker(self, queues: frozenset[str]) -> PostgresWaker:
        source = self._source if isinstance(self._source, Own) else Own(self.url)
        return PostgresWaker(source, queues)

    # -- inside ----------------------------------------------------------------------------------
    @property
    def _skew(self) -> timedelta:
        return timedelta(seconds=self.skew_seconds)

    def _lend(self) -> Shielded:
        return Shielded(self._held.source or self._source)

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        with self._lend() as connection:
            return self._statements.run(connection, sql, parameters)

    def _ask_as_sent(self, sending: Sending) -> list[Any]:
        with self._lend() as connection:
            return self._statements.ask(connection, sending)
