"""What a store can do. Each method is one atomic operation; both back-ends pass one test suite.

A lease is named by (job_id, fence), and every write by a worker is refused unless that lease still
stands. Errors are those of `leasehold.errors`; a driver's own never escape, except on a connection
that belongs to the caller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import msgspec

from leasehold.model.ids import JobId, WorkerId
from leasehold.model.keys import Standing, Verdict
from leasehold.model.lanes import Ask, LaneClaims, LaneSeen, Look, Pause
from leasehold.model.values import Claim, Connections, Held, NewJob, Only, Renewal, Settlement, Want
from leasehold.sealing.keyring import Keyring
from leasehold.store.contract.access import AccessStore
from leasehold.store.contract.alerts import AlertStore
from leasehold.store.contract.audit import AuditStore
from leasehold.store.contract.batches import BatchStore
from leasehold.store.contract.keeping import KeepingStore
from leasehold.store.contract.moving import MovingStore
from leasehold.store.contract.needs import NeedsStore
from leasehold.store.contract.people import PeopleStore
from leasehold.store.contract.quotas import QuotaStore
from leasehold.store.contract.results import ResultStore
from leasehold.store.contract.saving import Saves, SavingStore, nothing_saved
from leasehold.store.contract.schedules import ScheduleStore
from leasehold.store.contract.secrets import SecretStore
from leasehold.store.contract.statistics import StatisticsStore
from leasehold.store.contract.tenancy import TenancyStore
from leasehold.store.contract.tending import TendingStore
from leasehold.store.contract.timing import TimingStore
from leasehold.store.contract.vitals import VitalsStore


class Statement(NamedTuple):
    """One statement of a script, with `:name` parameters."""

    sql: str
    parameters: Mapping[str, Any]


Rows: TypeAlias = Sequence[Sequence[Any]]
# What became of the jobs that were not simply written; nearly always there are none.
Answers: TypeAlias = Mapping[JobId, Standing]
Told = TypeVar("Told")
# Yields statements, is sent their rows, returns what they told.
Script: TypeAlias = Generator[Statement, Rows, Told]
EnqueueScript: TypeAlias = Script[Answers]


ANY_QUEUE = "*"
_MAY_RUN = frozenset({Verdict.SAME, Verdict.REPLACED})


def made_of(jobs: Sequence[NewJob], answers: Answers) -> Sequence[NewJob]:
    """Return the jobs that may run at once, so that somebody should wake for them."""
    if answers:
        jobs = [job for job in jobs if job.id not in answers or answers[job.id].verdict in _MAY_RUN]
    return [job for job in jobs if job.needs is None]


def dependents_in(jobs: Sequence[NewJob]) -> list[JobId]:
    """Name those that wait for jobs which were not written with them: these may have ended."""
    if all(job.needs is None for job in jobs):
        return []
    own = {job.id for job in jobs}
    return [job.id for job in jobs if job.needs is not None and not own.issuperset(job.needs.jobs)]


def keys_of(jobs: Sequence[NewJob]) -> list[str]:
    """Name the keys that jobs ask for."""
    return sorted({job.unique.key for job in jobs if job.unique is not None})


def arrivals_of(jobs: Sequence[NewJob]) -> dict[str, int]:
    """Count the jobs by the queue to wake; one that leaves its queue to its task may be in any."""
    if len(jobs) == 1:
        return {jobs[0].queue or ANY_QUEUE: 1}
    return Counter([job.queue or ANY_QUEUE for job in jobs])


class Answer(StrEnum):
    """What became of one settlement."""

    SETTLED = "settled"
    ALREADY = "already"  # this very lease was settled before: an answer had been lost
    LOST = "lost"  # the lease was taken back; nothing was written


class Wake(msgspec.Struct, frozen=True):
    """Why a wait ended early: how many jobs came to which queue, or nothing known but to look.

    `turn` is the same for all who are woken by it, and any number: they take turns by it. A poke is
    told from an arrival where that can be.
    """

    arrivals: dict[str, int] = {}
    turn: int = 0
    is_poke: bool = False


class Waker(Protocol):
    """Tells an idle claimer that there may be work. Used by one thread, poked by any."""

    @property
    def is_polling_only(self) -> bool:
        """Whether nothing wakes it but time and pokes."""

    def wait(self, timeout_seconds: float) -> Wake | None:
        """Wait for a wake-up or a poke; None when the time ran out."""

    def poke(self) -> None:
        """End the present or the next wait at once. Safe from any thread and signal handler."""

    def close(self) -> None: ...


class SchemaStatus(msgspec.Struct, frozen=True):
    """`version` 0 means that nothing is there yet; `pending` are the names of what would be run."""

    version: int
    code_version: int
    pending: tuple[str, ...]


class Store(
    BatchStore,
    NeedsStore,
    ScheduleStore,
    SavingStore,
    KeepingStore,
    MovingStore,
    ResultStore,
    TimingStore,
    StatisticsStore,
    VitalsStore,
    AlertStore,
    SecretStore,
    QuotaStore,
    TenancyStore,
    TendingStore,
    AccessStore,
    AuditStore,
    PeopleStore,
    Protocol,
):
    """The database behind the queue. Safe to use from many threads."""

    url: str
    skew_seconds: float  # added to the store's clock; 0 outside tests
    keyring: Keyring | None  # the keys that encrypt what is written, and read it

    # -- the tables ------------------------------------------------------------------------------
    def schema(self) -> SchemaStatus: ...

    def migrate(self) -> tuple[str, ...]:
        """Bring the tables up to date, safely beside others doing the same; names what was run."""

    def check_schema(self) -> None:
        """Raise `SchemaMismatch` unless these tables and this code fit."""

    def close(self) -> None:
        """Close every connection. Safe twice."""

    def dedicated(self) -> Store:
        """Return the same store on a connection of its own, for one thread. Close it after use."""

    # -- enqueue ---------------------------------------------------------------------------------
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        """Write the jobs, all or none, and wake workers; tells of those not simply written.

        The same id, kind, tenant and arguments again is the same job; else `IdConflict`. A job
        whose key another one has is made or not as model/keys.py says; several of one key act one
        after the other. `KeyBusy` when an open transaction has the key for too long. What the
        quotas of a tenant do not allow is `QuotaExceeded`, and nothing is written.
        """

    def begin_enqueue(self, jobs: Sequence[NewJob]) -> Callable[[], Answers]:
        """Begin to do the same. What is returned waits for the answer: call it once, here."""

    def enqueue_script(self, jobs: Sequence[NewJob]) -> EnqueueScript:
        """Do the same on a caller's connection, of any kind, sync or async."""

    def notify(self, arrivals: Mapping[str, int]) -> None:
        """Tell workers soon how many jobs came to which queue, written on a caller's connection.

        Never fails: polling finds what a wake-up missed.
        """

    # -- the worker's operations, every write fenced ----------------------------------------------
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
        """Take leases on ready jobs, in the order of the wants, at most `limit` in all.

        A paused queue gives nothing, one with a limit no more than that leaves, and only to a want
        that says `is_limited`. `least` of a want is the lowest priority that is wanted.
        `leases` names the kinds this worker knows, each with its lease in seconds. Jobs of other
        kinds are parked. Suspects (jobs that lapsed before) come only when asked for.

        With `only`, other jobs are neither taken nor parked. All members of a batch are seen; for
        kinds alone it looks through the first thousands of a queue's jobs and no further.
        """

    def claim_parked(
        self,
        worker: WorkerId,
        wants: Sequence[Want],
        *,
        limit: int,
        leases: Mapping[str, float],
        only: Only | None = None,
    ) -> list[Claim]:
        """Take leases on jobs that other workers parked and this one knows."""

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
        """List lanes with work, open or not, in the order of their places. Takes nothing.

        Of each look at most so many parties, of each party `page` lanes, after the place that
        `after` has for it. With a batch: all lanes in which it has jobs.
        """

    def claim_lanes(
        self,
        worker: WorkerId,
        asks: Sequence[Ask],
        *,
        limit: int,
        leases: Mapping[str, float],
        only: Only | None = None,
        limited: Collection[str] = (),
        short: Collection[str] = (),
    ) -> LaneClaims:
        """Take leases on jobs of these lanes, in this order, no more than each has room for.

        What a key's limits, rate and pause and its queue's pause allow is counted here, under a
        lock, whatever a look said. Jobs of other kinds are set aside (stage `parked`). `limited`
        names queues that have a limit; those that have one and are not named give nothing. Of
        `short` kinds a slot is taken for a line of up to LONGEST_LINE jobs, where the key's limit
        is all that counts: each is `behind` the one before, to be run when that has ended, and the
        last has the slot.
        """

    def hold_slot(self, worker: WorkerId, lease: Held) -> bool:
        """Let a lease that is in a line have its slot from now on, if it stands.

        So those behind it can be handed back; until they are, the line has two slots.
        """

    def pause_lane(self, worker: WorkerId, lease: Held, pause: Pause) -> bool:
        """Pause the throttle key of a running job, if that lease stands; never shortens a pause.

        False when it does not stand, or the job has no throttle.
        """

    def renew(self, worker: WorkerId, leases: Sequence[Held]) -> Renewal:
        """Extend the leases, never beyond their deadline."""

    def cancel_requests(self, leases: Sequence[Held]) -> frozenset[JobId]:
        """Say which of these leases somebody has asked to cancel."""

    def finish(self, worker: WorkerId, settlements: Sequence[Settlement]) -> list[Answer]:
        """Settle attempts; one answer each, in order. A cancelled one ends cancelled."""

    def release_unknown(self, worker: WorkerId, known: Sequence[Held]) -> int:
        """Hand back leases in this worker's name that it does not know (a claim's lost answer)."""

    def transaction(
        self,
        worker: WorkerId,
        settle: Callable[[], Settlement],
        *,
        lease_seconds: float,
        saves: Saves = nothing_saved,
        tenant: str = "",
    ) -> AbstractContextManager[Any]:
        """Open a transaction that ends the attempt with the caller's writes, or rolls both back.

        Yields the driver's connection. On a clean exit it saves, settles last and commits;
        `LeaseLost` when the lease does not stand any more or the job was cancelled. For a job of
        a tenant, a database with roles lets the caller write as that tenant.
        """

    def async_transaction(
        self,
        worker: WorkerId,
        settle: Callable[[], Settlement],
        *,
        lease_seconds: float,
        saves: Saves = nothing_saved,
        tenant: str = "",
    ) -> AbstractAsyncContextManager[Any]:
        """Do the same for an async handler (on SQLite it yields the blocking connection)."""

    # -- how it is reached -----------------------------------------------------------------------
    def connections(self) -> Connections:
        """Count the connections that this process shares, without using one."""

    def waker(self, queues: frozenset[str]) -> Waker:
        """Listen for wake-ups; on a dedicated store it uses that store's connection."""
