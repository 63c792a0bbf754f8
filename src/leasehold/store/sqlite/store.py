"""The store on SQLite: each operation of `Store`, as one transaction on one file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from leasehold.model.values import Connections, NewJob
from leasehold.store.base import (
    Answers,
    EnqueueScript,
    SchemaStatus,
    arrivals_of,
    dependents_in,
    made_of,
)
from leasehold.store.migrations import Migration, load_migrations
from leasehold.store.sqlite import location, needing, schema
from leasehold.store.sqlite.access import Access
from leasehold.store.sqlite.alerts import Alerts
from leasehold.store.sqlite.audit import Audit
from leasehold.store.sqlite.batches import Batches
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.enqueue import run_script, without_checkpoints, write_script
from leasehold.store.sqlite.keeping import Keeping
from leasehold.store.sqlite.keyed import keyed_script, refused_script
from leasehold.store.sqlite.moving import Moving, refuse_moved
from leasehold.store.sqlite.operators import Operators
from leasehold.store.sqlite.quotas import Quotas
from leasehold.store.sqlite.results import Results
from leasehold.store.sqlite.saving import Saving
from leasehold.store.sqlite.schedules import Schedules
from leasehold.store.sqlite.secrets import Secrets
from leasehold.store.sqlite.statistics import Statistics
from leasehold.store.sqlite.tenancy import Tenancy
from leasehold.store.sqlite.tending import Tending
from leasehold.store.sqlite.times import Clock
from leasehold.store.sqlite.timing import Timing
from leasehold.store.sqlite.vitals import Vital
from leasehold.store.sqlite.waker import SqliteWaker, Wakers
from leasehold.store.sqlite.working import Working

BUSY_SECONDS = 10.0


class SqliteStore(
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
    """Opens the file when first used; one without our tables gets them then."""

    def __init__(
        self,
        url: str,
        *,
        busy_seconds: float = BUSY_SECONDS,
        read_magic: location.ReadMagic = location.read_magic,
        migrations: Sequence[Migration] | None = None,
    ) -> None:
        self.url = url
        self._read_magic = read_magic
        self._migrations = migrations or load_migrations("leasehold.store.sqlite")
        self._clock = Clock()
        self._is_owner = True
        self._pages = needing.Pages()
        place = location.parse(url)
        self._wakers = Wakers(place)
        self._database = Database(
            place,
            busy_seconds=busy_seconds,
            check=partial(location.check, read_magic=read_magic),
            prepare=partial(schema.install_if_new, clock=self._clock, known=self._migrations),
        )

    @property
    def skew_seconds(self) -> float:
        return self._clock.skew_seconds

    @skew_seconds.setter
    def skew_seconds(self, seconds: float) -> None:
        self._clock.skew_seconds = seconds

    # -- the tables ------------------------------------------------------------------------------
    def schema(self) -> SchemaStatus:
        return schema.read_status(self._database, self._migrations)

    def migrate(self) -> tuple[str, ...]:
        return schema.migrate(self._database, self._clock, self._migrations)

    def check_schema(self) -> None:
        schema.check(self._database, self._migrations)
        with self._database.read() as connection:
            refuse_moved(connection)

    def close(self) -> None:
        if self._is_owner:
            self._database.close()

    def dedicated(self) -> SqliteStore:
        """Share the connections: a file has one writer at a time, whoever asks."""
        twin = SqliteStore.__new__(SqliteStore)
        twin.__dict__.update(self.__dict__)
        twin._is_owner = False  # noqa: SLF001 - it is one of us
        return twin

    # -- enqueue ---------------------------------------------------------------------------------
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        if not jobs:
            return {}
        jobs = self._sealed(jobs)
        refused = self._look_at_keys(jobs)
        if refused is not None:
            return refused
        with self._database.write() as connection:
            answers = run_script(connection, self._script(jobs))
        self._after_enqueue(jobs, answers)
        return answers

    def _after_enqueue(self, jobs: Sequence[NewJob], answers: Answers) -> None:
        self.notify(arrivals_of(made_of(jobs, answers)))
        if waiting := dependents_in(jobs):  # for jobs that may have ended by now
            self._look_at(list(map(str, waiting)), None)

    def _look_at_keys(self, jobs: Sequence[NewJob]) -> Answers | None:
        """Look without the write lock whether all keys are held: then nothing is to be written."""
        if any(job.unique is None for job in jobs):
            return None
        with self._database.read() as connection:
            return run_script(connection, refused_script(jobs, self._clock.now()))

    def begin_enqueue(self, jobs: Sequence[NewJob]) -> Callable[[], Answers]:
        answers = self.enqueue(jobs)
        return lambda: answers

    def enqueue_script(self, jobs: Sequence[NewJob]) -> EnqueueScript:
        return without_checkpoints(self._script(self._sealed(jobs)))

    def _script(self, jobs: Sequence[NewJob]) -> EnqueueScript:
        make = write_script if all(job.unique is None for job in jobs) else keyed_script
        return make(jobs, self._clock.now())

    def notify(self, arrivals: Mapping[str, int]) -> None:
        self._wakers.poke(frozenset(arrivals))
        self._wakers.ring()

    # -- how it is reached -----------------------------------------------------------------------
    def connections(self) -> Connections:
        return self._database.connections()

    def waker(self, queues: frozenset[str]) -> SqliteWaker:
        waker = SqliteWaker(self._database.location, queues)
        self._wakers.add(waker)
        return waker

    def _wake_called(self, queues: Sequence[str]) -> None:
        if queues:
            self.notify(Counter(queues))
