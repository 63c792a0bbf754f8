"""What workers do beside running jobs: promote, take back, release, and show that they live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leasehold.model.ids import JobId, WorkerId
from leasehold.model.lanes import Rule
from leasehold.model.needs import Predecessor, Released
from leasehold.model.states import State
from leasehold.model.values import Fleet, Lapsed, Promotion, Survey, TaskPolicy, WorkerInfo
from leasehold.store.sqlite import handing, keys, needing, records, settle, upkeep
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.statements import rows
from leasehold.store.sqlite.times import Clock
from leasehold.store.sqlite.waker import Wakers


class Tending:
    """The part of the store that keeps jobs moving, and knows the workers."""

    _database: Database
    _clock: Clock
    _wakers: Wakers
    _pages: needing.Pages

    def notify(self, arrivals: Mapping[str, int]) -> None:
        raise NotImplementedError

    def survey(self, queues: Sequence[str], kinds: Sequence[str]) -> Survey:
        with self._database.read() as connection:
            return upkeep.survey(connection, queues, kinds, self._clock.now())

    def promote(self, *, limit: int) -> Promotion:
        now = self._clock.now()
        with self._database.read() as connection:
            due = upkeep.next_due(connection)
        if due is None or due > now:
            return Promotion(0, upkeep.seconds_until(due, now))
        with self._database.write() as connection:
            promotion = upkeep.promote(connection, limit, now)
        self._wakers.poke()
        return promotion

    def hand_over(self, *, limit: int) -> int:
        with self._database.read() as connection:
            if not handing.has_work(connection):
                return 0
        with self._database.write() as connection:
            moved = handing.hand_over(connection, limit, self._clock.now())
        if moved:
            self._wakers.poke()
        return moved

    def lapsed(self, *, limit: int) -> list[Lapsed]:
        with self._database.read() as connection:
            return upkeep.lapsed(connection, limit, self._clock.now())

    def reclaim(self, leases: Sequence[tuple[Lapsed, float]]) -> dict[JobId, State]:
        if not leases:
            return {}
        with self._database.write() as connection:
            states = settle.reclaim(connection, leases, self._clock.now())
        if any(state.is_final for state in states.values()):
            self._wakers.poke()  # it may have called back
        return states

    def register(
        self, worker: WorkerInfo, tasks: Sequence[TaskPolicy], rules: Sequence[Rule] = ()
    ) -> None:
        with self._database.write() as connection:
            upkeep.register(connection, worker, tasks, rules, self._clock.now())

    def beat(self, worker: WorkerId, *, running: int) -> Fleet:
        with self._database.write() as connection:
            return upkeep.beat(connection, worker, running, self._clock.now())

    def farewell(self, worker: WorkerId) -> None:
        with self._database.write() as connection:
            upkeep.farewell(connection, worker, self._clock.now())

    def workers(self) -> list[WorkerInfo]:
        with self._database.read() as connection:
            return records.workers(connection)

    def tend(self) -> None:
        now = self._clock.now()
        with self._database.read() as connection:
            is_untidy = upkeep.has_old_workers(connection, now) or keys.needs_tidying(
                connection, now
            )
        if is_untidy:
            with self._database.write() as connection:
                upkeep.tidy_workers(connection, now)
                keys.tidy(connection, self._clock.now())
        self._database.tend()

    # -- jobs that wait for others -----------------------------------------------------------------
    def release_dependents(self, ended: Sequence[JobId]) -> Released:
        with self._database.read() as connection:
            jobs = needing.dependents_of(connection, ended) if ended else []
        return self._look_at(jobs, ended)

    def sweep_dependents(self, *, limit: int) -> Released:
        with self._database.read() as connection:
            jobs = self._pages.next(connection, limit)
            is_untidy = needing.has_strays(connection, jobs)
        done = self._look_at(jobs, None)
        if is_untidy:
            with self._database.write() as connection:
                needing.unmark(connection, jobs)
        return done

    def predecessors(self, job_id: JobId) -> list[Predecessor]:
        with self._database.read() as connection:
            return needing.predecessors(connection, job_id)

    def dependents(self, job_id: JobId, *, limit: int = 50) -> list[JobId]:
        with self._database.read() as connection:
            found = rows(connection, "dependents", id=str(job_id), limit=limit)
        return [records.to_job_id(row[0]) for row in found]

    def _look_at(self, jobs: Sequence[str], recent: Sequence[JobId] | None) -> Released:
        with self._database.read() as connection:
            if not needing.has_verdict(connection, jobs, recent):
                return Released()
        with self._database.write() as connection:
            released = needing.release(connection, jobs, recent, self._clock.now())
        if released.arrivals:
            self.notify(released.arrivals)
        return released
