"""The store on PostgreSQL. Each method is one operation of `leasehold.store.base.Store`."""

from __future__ import annotations

import os
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.states import State
from leasehold.model.values import (
    Attempt,
    Claim,
    Filter,
    Finding,
    Fleet,
    Held,
    Job,
    Lapsed,
    NewJob,
    Promotion,
    QueueCounts,
    Renewal,
    Settlement,
    Survey,
    TaskPolicy,
    Want,
    WorkerInfo,
)
from leasehold.store.base import Answer, EnqueueScript, SchemaStatus, Statement, arrivals_of
from leasehold.store.postgres import rows, schema
from leasehold.store.postgres.async_pool import AsyncPool
from leasehold.store.postgres.claiming import ClaimRequest, Claims, claim_parked
from leasehold.store.postgres.connection import Own, Pool, borrow
from leasehold.store.postgres.enqueuing import Enqueuing, are_plain_and_alike
from leasehold.store.postgres.examine import examine
from leasehold.store.postgres.people import People
from leasehold.store.postgres.settling import columns
from leasehold.store.postgres.statements import Statements
from leasehold.store.postgres.transaction import (
    Ending,
    async_settling_transaction,
    settling_transaction,
)
from leasehold.store.postgres.waking import Notifier, PostgresWaker
from leasehold.store.shield import shielded
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.store.postgres.connection import AsyncConnection, Connection, Source

PACKAGE = "leasehold.store.postgres"
_FLUSH_SECONDS = 0.5

_encode = msgspec.json.Encoder().encode


class PostgresStore:
    """Jobs in the schema `leasehold` of one PostgreSQL database."""

    def __init__(self, url: str, *, source: Source | None = None) -> None:
        self.url = url
        self.skew_seconds = 0.0
        self._pool = Pool(url)
        self._async_pool = AsyncPool(url)
        self._source: Source = source or self._pool
        self._notifier = Notifier(self._pool)
        self._statements = Statements()
        self._enqueuing = Enqueuing(self._statements)
        self._people = People(self._lend, self._statements)
        self._claims = {
            is_for_suspects: Claims(self._run, is_for_suspects=is_for_suspects)
            for is_for_suspects in (False, True)
        }
        self._pid = os.getpid()

    # -- the tables ------------------------------------------------------------------------------
    def schema(self) -> SchemaStatus:
        with self._lend() as connection:
            return schema.status(connection)

    def migrate(self) -> tuple[str, ...]:
        with self._lend() as connection:
            return schema.migrate(connection)

    def check_schema(self) -> None:
        with self._lend() as connection:
            schema.check(connection)

    def close(self) -> None:
        self._notifier.flush(_FLUSH_SECONDS)
        self._source.close()
        self._pool.close()
        self._async_pool.close()

    def dedicated(self) -> PostgresStore:
        store = PostgresStore(self.url, source=Own(self.url))
        store.skew_seconds = self.skew_seconds
        return store

    # -- enqueue ---------------------------------------------------------------------------------
    def enqueue(self, jobs: Sequence[NewJob]) -> frozenset[JobId]:
        with self._lend() as connection:
            wake = self._wake_at_once(connection, jobs)
            existing = self._enqueuing.write(connection, jobs, self.skew_seconds, wake=wake)
        if wake is None:
            self.notify(arrivals_of(jobs))
        return existing

    def _wake_at_once(self, connection: Connection, jobs: Sequence[NewJob]) -> str | None:
        """Return the wake-up that may go out together with this job, if any."""
        is_direct = connection.prepare_threshold is not None
        if is_direct and len(jobs) == 1 and are_plain_and_alike(jobs):
            return self._own_notifier().take_turn(str(jobs[0].queue))
        return None

    def begin_enqueue(self, jobs: Sequence[NewJob]) -> Callable[[], frozenset[JobId]]:
        steps = self._enqueue_in_steps(jobs)

        def take_step() -> frozenset[JobId]:
            with shielded():  # not between the steps, where the caller is at work
                return next(steps)

        take_step()
        return take_step

    def _enqueue_in_steps(self, jobs: Sequence[NewJob]) -> Iterator[frozenset[JobId]]:
        with borrow(self._pool) as connection:
            finish = self._enqueuing.begin(connection, jobs, self.skew_seconds)
            yield frozenset()
            existing = finish()
        self.notify(arrivals_of(jobs))
        yield existing

    def enqueue_script(self, jobs: Sequence[NewJob]) -> EnqueueScript:
        parameters = {"jobs": _encode(jobs).decode(), "skew_seconds": self.skew_seconds}
        found = yield Statement(load(PACKAGE, "enqueue"), parameters)
        return frozenset(rows.job_id(row[0]) for row in found)

    def notify(self, arrivals: Mapping[str, int]) -> None:
        self._own_notifier().notify(arrivals)

    def _own_notifier(self) -> Notifier:
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
    ) -> list[Claim]:
        request = ClaimRequest(worker, wants, limit, leases, self._skew)
        return self._claims[is_for_suspects].claim(request)

    def claim_parked(
        self, worker: WorkerId, wants: Sequence[Want], *, limit: int, leases: Mapping[str, float]
    ) -> list[Claim]:
        request = ClaimRequest(worker, wants, limit, leases, self._skew)
        return claim_parked(self._run, request)

    def renew(self, worker: WorkerId, leases: Sequence[Held]) -> Renewal:
        asked = {held.job_id for held in leases}
        parameter = _encode(leases).decode()
        found = self._run(load(PACKAGE, "renew"), leases=parameter, worker=worker, skew=self._skew)
        seen = dict(found)
        if len(seen) < len(asked):
            # A later statement: a lease that was skipped because it is locked still stands.
            seen.update(self._run(load(PACKAGE, "standing"), leases=parameter, worker=worker))
        return Renewal(
            lost=frozenset(asked - seen.keys()),
            cancelled=frozenset(job_id for job_id, cancelled in seen.items() if cancelled),
        )

    def cancel_requests(self, leases: Sequence[Held]) -> frozenset[JobId]:
        parameter = _encode(leases).decode()
        found = self._run(load(PACKAGE, "standing"), leases=parameter, worker=None)
        return frozenset(job_id for job_id, cancelled in found if cancelled)

    def finish(self, worker: WorkerId, settlements: Sequence[Settlement]) -> list[Answer]:
        if len({each.job_id.int for each in settlements}) < len(settlements):
            middle = len(settlements) // 2  # one job twice: one after the other
            first = self.finish(worker, settlements[:middle])
            return first + self.finish(worker, settlements[middle:])
        ((ended,),) = self._run(
            load(PACKAGE, "finish"), worker=worker, skew=self._skew, **columns(settlements)
        )
        ended = ended or b""
        if len(ended) == len(settlements) * rows.ID_BYTES:
            return [Answer.SETTLED] * len(settlements)
        return self._explain(worker, settlements, rows.job_ids(ended))

    def _explain(
        self, worker: WorkerId, settlements: Sequence[Settlement], settled: frozenset[JobId]
    ) -> list[Answer]:
        """Tell for those that were not settled now whether they had been before."""
        missing = [each for each in settlements if each.job_id not in settled]
        found = self._run(
            load(PACKAGE, "settled_before"), settlements=_encode(missing).decode(), worker=worker
        )
        before = {row[0] for row in found}
        return [
            Answer.SETTLED
            if each.job_id in settled
            else Answer.ALREADY
            if each.job_id in before
            else Answer.LOST
            for each in settlements
        ]

    def release_unknown(self, worker: WorkerId, known: Sequence[Held]) -> int:
        found = self._run(
            load(PACKAGE, "release_unknown"),
            worker=worker,
            known=_encode(known).decode(),
            skew=self._skew,
        )
        return int(found[0][0])

    def transaction(
        self, worker: WorkerId, settle: Callable[[], Settlement], *, lease_seconds: float
    ) -> AbstractContextManager[Connection]:
        ending = Ending(worker, settle, lease_seconds, self.skew_seconds)
        return settling_transaction(self._pool, ending)

    def async_transaction(
        self, worker: WorkerId, settle: Callable[[], Settlement], *, lease_seconds: float
    ) -> AbstractAsyncContextManager[AsyncConnection]:
        ending = Ending(worker, settle, lease_seconds, self.skew_seconds)
        return async_settling_transaction(self._async_pool, ending)

    # -- upkeep ----------------------------------------------------------------------------------
    def survey(self, queues: Sequence[str], kinds: Sequence[str]) -> Survey:
        found = self._run(
            load(PACKAGE, "survey"), queues=list(queues), kinds=list(kinds), skew=self._skew
        )
        return Survey(*found[0])

    def promote(self, *, limit: int) -> Promotion:
        found = self._run(load(PACKAGE, "promote"), limit=limit, skew=self._skew)
        promotion = Promotion(*found[0])
        if promotion.count > 0:  # these have older places
            for claims in self._claims.values():
                claims.look_from_head()
        return promotion

    def lapsed(self, *, limit: int) -> list[Lapsed]:
        found = self._run(load(PACKAGE, "lapsed"), limit=limit, skew=self._skew)
        return [Lapsed(*row) for row in found]

    def reclaim(self, leases: Sequence[tuple[Lapsed, float]]) -> dict[JobId, State]:
        asked = [
            {
                "job_id": lapsed.job_id,
                "fence": lapsed.fence,
                "until": lapsed.until,
                "delay_seconds": delay_seconds,
            }
            for lapsed, delay_seconds in leases
        ]
        found = self._run(load(PACKAGE, "reclaim"), leases=_encode(asked).decode(), skew=self._skew)
        return {row[0]: State(row[1]) for row in found}

    def register(self, worker: WorkerInfo, tasks: Sequence[TaskPolicy]) -> None:
        described = {
            "id": worker.id,
            "name": worker.name,
            "queues": list(worker.queues),
            "kinds": list(worker.kinds),
            "slots": worker.slots,
            "version": worker.version,
            "skew": self._skew,
        }
        known = {"tasks": _encode(tasks).decode(), "skew": self._skew}
        with self._lend() as connection, connection.transaction():
            connection.execute(load(PACKAGE, "register_worker").encode(), described)
            connection.execute(load(PACKAGE, "register_tasks").encode(), known)

    def beat(self, worker: WorkerId, *, running: int) -> Fleet:
        found = self._run(load(PACKAGE, "beat"), id=worker, running=running, skew=self._skew)
        return Fleet(
            max((workers for _, workers, _ in found), default=1),
            {queue: with_room for queue, _, with_room in found},
        )

    def farewell(self, worker: WorkerId) -> None:
        self._run(load(PACKAGE, "farewell"), id=worker, skew=self._skew)

    def workers(self) -> list[WorkerInfo]:
        return [rows.worker(row) for row in self._run(load(PACKAGE, "workers"))]

    def tend(self) -> None:
        self._run(load(PACKAGE, "strike_off_workers"), skew=self._skew)
        self._run(load(PACKAGE, "forget_workers"), skew=self._skew)

    def waker(self, queues: frozenset[str]) -> PostgresWaker:
        source = self._source if isinstance(self._source, Own) else Own(self.url)
        return PostgresWaker(source, queues)

    # -- people ----------------------------------------------------------------------------------
    def get(self, job_id: JobId) -> Job | None:
        return self._people.get(job_id)

    def find(self, where: Filter, *, before: JobId | None, limit: int) -> list[Job]:
        return self._people.find(where, before, limit)

    def history(self, job_id: JobId) -> list[Attempt]:
        return self._people.history(job_id)

    def cancel(self, job_id: JobId, *, by: str | None) -> State | None:
        return self._people.cancel(job_id, by, self._skew)

    def retry(self, job_id: JobId) -> State | None:
        return self._people.retry(job_id)

    def delete(self, job_id: JobId) -> State | None:
        return self._people.delete(job_id)

    def reprioritise(self, job_id: JobId, priority: int) -> State | None:
        return self._people.reprioritise(job_id, priority)

    def counts(self) -> list[QueueCounts]:
        return [rows.counts(row) for row in self._run(load(PACKAGE, "counts"))]

    def parked_kinds(self) -> dict[str, int]:
        return dict(self._run(load(PACKAGE, "parked_kinds")))

    def examine(self) -> list[Finding]:
        with self._lend() as connection:
            return examine(connection)

    # -- inside ----------------------------------------------------------------------------------
    @property
    def _skew(self) -> timedelta:
        return timedelta(seconds=self.skew_seconds)

    @contextmanager
    def _lend(self) -> Iterator[Connection]:
        with shielded(), borrow(self._source) as connection:
            yield connection

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        with self._lend() as connection:
            return self._statements.run(connection, sql, parameters)
