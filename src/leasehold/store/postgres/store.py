"""The store on PostgreSQL. Each method is one operation of `leasehold.store.base.Store`."""

from __future__ import annotations

import os
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from leasehold.model.values import (
    Claim,
    Connections,
    Held,
    NewJob,
    Only,
    Renewal,
    Settlement,
    Want,
)
from leasehold.store.base import (
    ANY_QUEUE,
    Answer,
    Answers,
    EnqueueScript,
    SchemaStatus,
    arrivals_of,
    dependents_in,
    keys_of,
    made_of,
)
from leasehold.store.contract.saving import nothing_saved
from leasehold.store.postgres import rows, schema
from leasehold.store.postgres.access import Access
from leasehold.store.postgres.alerts import Alerts
from leasehold.store.postgres.async_pool import AsyncPool
from leasehold.store.postgres.audit import Audit, HeldConnection
from leasehold.store.postgres.batches import Batches
from leasehold.store.postgres.bounds import Bounds, TenantPool
from leasehold.store.postgres.bulk import Many
from leasehold.store.postgres.claiming import ClaimRequest, Claims, claim_parked
from leasehold.store.postgres.connection import Borrowed, Own, Pool, Shielded
from leasehold.store.postgres.enqueuing import Enqueuing, are_plain_and_alike
from leasehold.store.postgres.gates import by_gates
from leasehold.store.postgres.holding import claim_held
from leasehold.store.postgres.keeping import Keeping
from leasehold.store.postgres.lanes import Lanes
from leasehold.store.postgres.leases import Leases
from leasehold.store.postgres.moving import Moving, refuse_moved
from leasehold.store.postgres.narrow import claim_only, claim_parked_only
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
from leasehold.store.postgres.transaction import (
    Ending,
    async_ending_transaction,
    ending_transaction,
)
from leasehold.store.postgres.vitals import Vital
from leasehold.store.postgres.waking import Notifier, PostgresWaker
from leasehold.store.shield import shielded

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.lanes import (
        Ask,
        LaneSeen,
        Look,
        Pause,
    )
    from leasehold.store.contract.saving import Saves
    from leasehold.store.postgres.connection import AsyncConnection, Connection, Source

PACKAGE = "leasehold.store.postgres"
_FLUSH_SECONDS = 0.5

_encode = msgspec.json.Encoder().encode


class Bounded(NamedTuple):
    """What a tenant's store has in common with the whole one."""

    tenant: str
    pool: TenantPool
    notifier: Callable[[], Notifier]


class PostgresStore(
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
            is_for_suspects: Claims(self._run, is_for_suspects=is_for_suspects)
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
            answers = self._enqueuing.write(connection, jobs, self.skew_seconds, wake=wake)
        if wake is None:
            self._after_enqueue(jobs, answers)
        return answers

    def _after_enqueue(self, jobs: Sequence[NewJob], answers: Answers) -> None:
        self.notify(arrivals_of(made_of(jobs, answers)))
        if waiting := dependents_in(jobs):  # for jobs that may have ended by now
            self._tell_of(self._dependents.look_at(waiting, recent=None))

    def _wake_at_once(self, connection: Connection, jobs: Sequence[NewJob]) -> str | None:
        """Return the wake-up that may go out together with this job, if any."""
        notifier = self._own_notifier()
        is_direct = connection.prepare_threshold is not None and self._bounded is None
        if is_direct and len(jobs) == 1 and notifier.is_calm and are_plain_and_alike(jobs):
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

    # -- the worker's operations -----------------------------------------------------------------
    def claim(
        self,
        worker: WorkerId,
        wants: Sequence[Want],
        *,
        limit: int,
        leases: Mapping[str, float],
        is_for_suspects: bool = False,
        only: Only | None = None,
    ) -> list[Claim]:
        def take(request: ClaimRequest) -> list[Claim]:
            if only is not None:
                return claim_only(self._run, request, only, is_for_suspects=is_for_suspects)
            return by_gates(request, self._usual_claims(is_for_suspects=is_for_suspects))

        request = ClaimRequest(worker, wants, limit, leases, self._skew)
        return claim_held(self._run, request, take, only=only, is_for_suspects=is_for_suspects)

    def _usual_claims(self, *, is_for_suspects: bool) -> Callable[[ClaimRequest], list[Claim]]:
        return lambda part: self._claims_of(part.gate, is_for_suspects=is_for_suspects).claim(part)

    def _claims_of(self, gate: str | None, *, is_for_suspects: bool) -> Claims:
        """Return who knows the levels: one for each gate, since they forget other queues'."""
        if gate is None:
            return self._claims[is_for_suspects]
        fresh = Claims(self._run, is_for_suspects=is_for_suspects)
        return self._gated.setdefault((gate, is_for_suspects), fresh)

    def _all_claims(self) -> list[Claims]:
        return [*self._claims.values(), *self._gated.values()]

    def claim_parked(
        self,
        worker: WorkerId,
        wants: Sequence[Want],
        *,
        limit: int,
        leases: Mapping[str, float],
        only: Only | None = None,
    ) -> list[Claim]:
        def take(request: ClaimRequest) -> list[Claim]:
            if only is not None:
                return claim_parked_only(self._run, request, only)
            return claim_parked(self._run, request)

        request = ClaimRequest(worker, wants, limit, leases, self._skew)
        return claim_held(self._run, request, take, only=only, is_for_suspects=False)

    def look_lanes(
        self,
        worker: WorkerId,
        looks: Sequence[Look],
        *,
        parties: int,
        page: int,
        after: Mapping[str, str],
        batch: JobId | None = None,
    ) -> list[LaneSeen]:
        if batch is not None:
            return self._lanes(worker).look_for_batch(looks, batch)
        return self._lanes(worker).look(looks, parties=parties, page=page, after=after)

    def claim_lanes(
        self,
        worker: WorkerId,
        asks: Sequence[Ask],
        *,
        limit: int,
        leases: Mapping[str, float],
        only: Only | None = None,
        limited: Collection[str] = (),
    ) -> list[Claim]:
        return self._lanes(worker).claim(
            asks, limit=limit, leases=leases, only=only, limited=limited
        )

    def pause_lane(self, worker: WorkerId, lease: Held, pause: Pause) -> bool:
        return self._lanes(worker).pause(lease, pause)

    def renew(self, worker: WorkerId, leases: Sequence[Held]) -> Renewal:
        return self._leases(worker).renew(leases)

    def cancel_requests(self, leases: Sequence[Held]) -> frozenset[JobId]:
        return self._leases(None).cancel_requests(leases)

    def finish(self, worker: WorkerId, settlements: Sequence[Settlement]) -> list[Answer]:
        return self._leases(worker).finish(settlements)

    def pass_on(
        self,
        worker: WorkerId,
        settlements: Sequence[Settlement],
        places: Sequence[str],
        *,
        leases: Mapping[str, float],
    ) -> tuple[list[Answer], list[Claim]]:
        return self._leases(worker).pass_on(settlements, places, leases)

    def release_unknown(self, worker: WorkerId, known: Sequence[Held]) -> int:
        return self._leases(worker).release_unknown(known)

    def transaction(
        self,
        worker: WorkerId,
        settle: Callable[[], Settlement],
        *,
        lease_seconds: float,
        saves: Saves = nothing_saved,
        tenant: str = "",
    ) -> AbstractContextManager[Connection]:
        ending = self._ending(worker, settle, saves, lease_seconds, tenant)
        return ending_transaction(self._pool, self._bounds, ending)

    def async_transaction(
        self,
        worker: WorkerId,
        settle: Callable[[], Settlement],
        *,
        lease_seconds: float,
        saves: Saves = nothing_saved,
        tenant: str = "",
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        ending = self._ending(worker, settle, saves, lease_seconds, tenant)
        return async_ending_transaction(self._async_pool, self._bounds, ending)

    def _ending(
        self,
        worker: WorkerId,
        settle: Callable[[], Settlement],
        saves: Saves,
        lease_seconds: float,
        tenant: str,
    ) -> Ending:
        skew, wake = self.skew_seconds, self._wake_called
        return Ending(worker, settle, saves, lease_seconds, skew, wake, tenant)

    # -- how it is reached -----------------------------------------------------------------------
    def connections(self) -> Connections:
        return self._pool.count()

    def waker(self, queues: frozenset[str]) -> PostgresWaker:
        source = self._source if isinstance(self._source, Own) else Own(self.url)
        return PostgresWaker(source, queues)

    # -- inside ----------------------------------------------------------------------------------
    def _lanes(self, worker: WorkerId) -> Lanes:
        return Lanes(self._run, worker, self._skew)

    def _leases(self, worker: WorkerId | None) -> Leases:
        return Leases(self._run, worker, self._skew, self._wake_called)

    @property
    def _skew(self) -> timedelta:
        return timedelta(seconds=self.skew_seconds)

    def _lend(self) -> Shielded:
        return Shielded(self._held.source or self._source)

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        with self._lend() as connection:
            return self._statements.run(connection, sql, parameters)
