"""The operations for people: to look at jobs and change them, and to set limits and pauses."""

from __future__ import annotations

from collections.abc import Sequence

from leasehold.model.facts import Facts
from leasehold.model.ids import JobId
from leasehold.model.keys import KeyInfo
from leasehold.model.lanes import (
    Pause,
    QueueInfo,
    RuleChange,
    ShareInfo,
    ThrottleInfo,
)
from leasehold.model.states import State
from leasehold.model.values import (
    Attempt,
    Filter,
    Finding,
    Job,
    QueueCounts,
)
from leasehold.store.sqlite import (
    bulk,
    checks,
    holders,
    location,
    people,
    records,
    rules,
    upkeep,
)
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.facts import read_facts
from leasehold.store.sqlite.statements import rows
from leasehold.store.sqlite.times import Clock
from leasehold.store.sqlite.waker import Wakers


class Operators:
    """The part of the store that no worker needs: each operation is one transaction."""

    _database: Database
    _clock: Clock
    _wakers: Wakers
    _read_magic: location.ReadMagic

    def get(self, job_id: JobId) -> Job | None:
        with self._database.read() as connection:
            found = records.read_jobs(connection, [str(job_id)])
        return found[0] if found else None

    def floor(self, where: Filter, *, before: JobId | None, count: int) -> JobId | None:
        with self._database.read() as connection:
            return records.floor(connection, where, before, count)

    def find(
        self, where: Filter, *, before: JobId | None, limit: int, above: JobId | None = None
    ) -> list[Job]:
        with self._database.read() as connection:
            if where.key is None:
                return records.find(connection, where, before, limit, above)
            found = holders.find(connection, where.key, where)
        return [job for job in found if before is None or job.id < before][:limit]

    def find_ids(self, where: Filter, *, before: JobId | None, limit: int) -> list[JobId]:
        if where.key is not None:
            return [job.id for job in self.find(where, before=before, limit=limit)]
        with self._database.read() as connection:
            found = records.find_ids(connection, where, before, limit)
        return [records.to_job_id(each) for each in found]

    def facts(self, job_id: JobId) -> Facts | None:
        with self._database.read() as connection:
            return read_facts(connection, job_id, self._clock.now())

    def history(self, job_id: JobId) -> list[Attempt]:
        with self._database.read() as connection:
            return records.history(connection, job_id)

    def cancel(self, job_id: JobId, *, by: str | None) -> State | None:
        with self._database.write() as connection:
            state = people.cancel(connection, job_id, by, self._clock.now())
        self._wakers.poke()  # it may have called back
        return state

    def retry(self, job_id: JobId) -> State | None:
        with self._database.write() as connection:
            state = people.retry(connection, job_id, self._clock.now())
        self._wakers.poke()
        return state

    def delete(self, job_id: JobId) -> State | None:
        with self._database.write() as connection:
            return people.delete(connection, job_id)

    def cancel_many(self, job_ids: Sequence[JobId], *, by: str | None) -> dict[JobId, State | None]:
        with self._database.write() as connection:
            states = bulk.cancel_many(connection, job_ids, by, self._clock.now())
        self._wakers.poke()  # they may have called back
        return states

    def retry_many(self, job_ids: Sequence[JobId]) -> dict[JobId, State | None]:
        with self._database.write() as connection:
            states = bulk.retry_many(connection, job_ids, self._clock.now())
        self._wakers.poke()
        return states

    def delete_many(self, job_ids: Sequence[JobId]) -> dict[JobId, State | None]:
        with self._database.write() as connection:
            return bulk.delete_many(connection, job_ids)

    def reprioritise(self, job_id: JobId, priority: int) -> State | None:
        with self._database.write() as connection:
            return people.reprioritise(connection, job_id, priority)

    def key(self, key: str, *, tenant: str) -> KeyInfo | None:
        with self._database.read() as connection:
            return holders.look(connection, key, tenant)

    def forget_key(self, key: str, *, tenant: str) -> bool:
        with self._database.write() as connection:
            return holders.forget(connection, key, tenant)

    def throttles(self, *, tenant: str | None = None) -> list[ThrottleInfo]:
        with self._database.read() as connection:
            return rules.throttles(connection, tenant, self._clock.now())

    def change_throttle(self, name: str, change: RuleChange, *, tenant: str = "") -> None:
        with self._database.write() as connection:
            rules.change_throttle(connection, name, change, tenant, self._clock.now())

    def reset_throttle(self, name: str, *, tenant: str = "") -> bool:
        with self._database.write() as connection:
            return rules.reset_throttle(connection, name, tenant, self._clock.now())

    def pause_throttle(self, name: str, pause: Pause, *, tenant: str = "") -> None:
        with self._database.write() as connection:
            rules.pause_throttle(connection, name, pause, tenant, self._clock.now())

    def resume_throttle(self, name: str, *, tenant: str = "") -> bool:
        with self._database.write() as connection:
            return rules.resume_throttle(connection, name, tenant, self._clock.now())

    def refill_throttle(self, name: str) -> bool:
        with self._database.write() as connection:
            return rules.refill_throttle(connection, name, self._clock.now())

    def shares(self) -> list[ShareInfo]:
        with self._database.read() as connection:
            return rules.shares(connection)

    def change_share(self, name: str, *, weight: int, by: str | None) -> None:
        with self._database.write() as connection:
            rules.change_share(connection, name, weight, by, self._clock.now())

    def queues(self) -> list[QueueInfo]:
        with self._database.read() as connection:
            return rules.queues(connection, self._clock.now())

    def pause_queue(self, name: str, pause: Pause) -> None:
        with self._database.write() as connection:
            rules.pause_queue(connection, name, pause, self._clock.now())

    def resume_queue(self, name: str) -> bool:
        with self._database.write() as connection:
            return rules.resume_queue(connection, name, self._clock.now())

    def limit_queue(self, name: str, *, running: int | None, by: str | None) -> bool:
        with self._database.write() as connection:
            return rules.limit_queue(connection, name, running, by, self._clock.now())

    def set_aging(self, name: str, *, aging_seconds: float | None) -> None:
        with self._database.write() as connection:
            rules.set_aging(connection, name, aging_seconds, self._clock.now())

    def counts(self, *, tenant: str | None = None) -> list[QueueCounts]:
        with self._database.read() as connection:
            return upkeep.counts(connection, tenant)

    def parked_kinds(self) -> dict[str, int]:
        with self._database.read() as connection:
            return dict(rows(connection, "parked_kinds"))

    def examine(self) -> list[Finding]:
        return checks.examine(self._database, self._read_magic)
