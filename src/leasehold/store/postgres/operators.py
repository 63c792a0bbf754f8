"""The operations for people: to look at jobs and change them, and to set limits and pauses."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from leasehold.model.states import State
from leasehold.model.values import (
    Attempt,
    Filter,
    Finding,
    Job,
    QueueCounts,
)
from leasehold.store.postgres import rows
from leasehold.store.postgres.bulk import Many
from leasehold.store.postgres.examine import examine
from leasehold.store.postgres.people import People
from leasehold.store.postgres.rules import Rules
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

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
    from leasehold.store.postgres.connection import Connection

PACKAGE = "leasehold.store.postgres"


class Operators:
    """The part of the store that no worker needs, by delegation."""

    _people: People
    _many: Many
    _rules: Rules

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _lend(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def get(self, job_id: JobId) -> Job | None:
        return self._people.get(job_id)

    def find(
        self, where: Filter, *, before: JobId | None, limit: int, above: JobId | None = None
    ) -> list[Job]:
        return self._people.find(where, before, limit, above)

    def floor(self, where: Filter, *, before: JobId | None, count: int) -> JobId | None:
        return self._people.floor(where, before, count)

    def find_ids(self, where: Filter, *, before: JobId | None, limit: int) -> list[JobId]:
        return self._many.find_ids(where, before, limit)

    def facts(self, job_id: JobId) -> Facts | None:
        return self._people.facts(job_id, self._skew)

    def history(self, job_id: JobId) -> list[Attempt]:
        return self._people.history(job_id)

    def cancel(self, job_id: JobId, *, by: str | None) -> State | None:
        return self._people.cancel(job_id, by, self._skew)

    def retry(self, job_id: JobId) -> State | None:
        return self._people.retry(job_id)

    def delete(self, job_id: JobId) -> State | None:
        return self._people.delete(job_id)

    def cancel_many(self, job_ids: Sequence[JobId], *, by: str | None) -> dict[JobId, State | None]:
        return self._many.cancel(job_ids, by, self._skew)

    def retry_many(self, job_ids: Sequence[JobId]) -> dict[JobId, State | None]:
        return self._many.retry(job_ids)

    def delete_many(self, job_ids: Sequence[JobId]) -> dict[JobId, State | None]:
        return self._many.delete(job_ids)

    def reprioritise(self, job_id: JobId, priority: int) -> State | None:
        return self._people.reprioritise(job_id, priority)

    def key(self, key: str, *, tenant: str) -> KeyInfo | None:
        return self._people.key(key, tenant)

    def forget_key(self, key: str, *, tenant: str) -> bool:
        return self._people.forget_key(key, tenant)

    def throttles(self, *, tenant: str | None = None) -> list[ThrottleInfo]:
        return self._rules.throttles(tenant)

    def change_throttle(self, name: str, change: RuleChange, *, tenant: str = "") -> None:
        self._rules.change_throttle(name, change, tenant)

    def reset_throttle(self, name: str, *, tenant: str = "") -> bool:
        return self._rules.reset_throttle(name, tenant)

    def pause_throttle(self, name: str, pause: Pause, *, tenant: str = "") -> None:
        self._rules.pause("throttle", name, pause, tenant=tenant)

    def resume_throttle(self, name: str, *, tenant: str = "") -> bool:
        return self._rules.resume("throttle", name, tenant=tenant)

    def refill_throttle(self, name: str) -> bool:
        return self._rules.refill_throttle(name)

    def shares(self) -> list[ShareInfo]:
        return self._rules.shares()

    def change_share(self, name: str, *, weight: int, by: str | None) -> None:
        self._rules.change_share(name, weight, by)

    def queues(self) -> list[QueueInfo]:
        return self._rules.queues()

    def pause_queue(self, name: str, pause: Pause) -> None:
        self._rules.pause("queue", name, pause)

    def resume_queue(self, name: str) -> bool:
        return self._rules.resume("queue", name)

    def limit_queue(self, name: str, *, running: int | None, by: str | None) -> bool:
        return self._rules.limit_queue(name, running, by)

    def set_aging(self, name: str, *, aging_seconds: float | None) -> None:
        self._rules.set_aging(name, aging_seconds)

    def counts(self, *, tenant: str | None = None) -> list[QueueCounts]:
        return [rows.counts(row) for row in self._run(load(PACKAGE, "counts"), tenant=tenant)]

    def parked_kinds(self) -> dict[str, int]:
        return dict(self._run(load(PACKAGE, "parked_kinds")))

    def examine(self) -> list[Finding]:
        with self._lend() as connection:
            return examine(connection)
