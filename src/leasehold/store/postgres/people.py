"""What people ask of single jobs: to look, and to change what stands waiting, running or ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg import Rollback
from psycopg.rows import dict_row

from leasehold.errors import StoreError
from leasehold.model.states import State
from leasehold.store.postgres import rows
from leasehold.store.postgres.facts import BOUNDS, to_facts
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from datetime import timedelta

    from leasehold.model.facts import Facts
    from leasehold.model.ids import JobId
    from leasehold.model.keys import KeyInfo
    from leasehold.model.values import Attempt, Filter, Job
    from leasehold.store.postgres.connection import Connection
    from leasehold.store.postgres.statements import Statements

PACKAGE = "leasehold.store.postgres"
_ROUNDS = 100


class People:
    """Lock, then look: a job that was just moving stands in no table that a statement saw.

    So each change tries the tables one after the other, again and again, until it hits.
    """

    def __init__(
        self,
        lend: Callable[[], AbstractContextManager[Connection]],
        statements: Statements,
        skew_seconds: Callable[[], float],
        wake: Callable[[Sequence[str] | None], None],
    ) -> None:
        self._lend = lend
        self._statements = statements
        self._skew_seconds = skew_seconds
        self._wake = wake

    def get(self, job_id: JobId) -> Job | None:
        found = self._jobs("get", job_id=job_id)
        return found[0] if found else None

    def find(
        self, where: Filter, before: JobId | None, limit: int, above: JobId | None = None
    ) -> list[Job]:
        if where.key is not None:
            return self._find_by_key(where.key, where, before)[:limit]
        parameters = rows.find_parameters(where, before, limit, above)
        return self._jobs(rows.find_statement(where), **parameters)

    def floor(self, where: Filter, before: JobId | None, count: int) -> JobId | None:
        statement = rows.FIND[where.state].replace("find_", "floor_")
        parameters = {"before": before or rows.GREATEST_ID, "state": where.state}
        found = self._run(statement, count=count - 1, **parameters)
        return rows.job_id(found[0][0]) if found else None

    def facts(self, job_id: JobId, skew: timedelta) -> Facts | None:
        found = self._dicts("facts", job_id=job_id, skew=skew, **BOUNDS)
        return to_facts(found[0]) if found else None

    def _find_by_key(self, key: str, where: Filter, before: JobId | None) -> list[Job]:
        """Find those that have the key now: it has no index of the jobs that had it once."""
        info = self.key(key, where.tenant or "")
        named = [] if info is None else [info.holder, info.next]
        jobs = [job for job_id in named if job_id and (job := self.get(job_id))]
        chosen = [job for job in jobs if where.admits(job) and (not before or job.id < before)]
        return sorted(chosen, key=lambda job: job.id, reverse=True)

    def key(self, key: str, tenant: str) -> KeyInfo | None:
        found = self._run("key", key=key, tenant=tenant)
        return rows.key(found[0]) if found else None

    def forget_key(self, key: str, tenant: str) -> bool:
        return bool(self._run("forget_key", key=key, tenant=tenant)[0][0])

    def history(self, job_id: JobId) -> list[Attempt]:
        return [rows.attempt(row) for row in self._run("history", job_id=job_id)]

    def cancel(self, job_id: JobId, by: str | None, skew: timedelta) -> State | None:
        for _ in range(_ROUNDS):
            if ended := self._run("cancel_waiting", job_id=job_id, by=by, skew=skew):
                self.wake(ended[0][1])
                return State.CANCELLED
            if self._run("cancel_running", job_id=job_id, by=by):
                return State.RUNNING
            state = self.state(job_id)
            if state is None or state.is_final:
                return state
        raise _moved(job_id, "cancelled")

    def wake(self, *called: str | None) -> None:
        """Tell workers of the queues that callbacks came to, if any did."""
        self._wake([queue for queue in called if queue is not None])

    def retry(self, job_id: JobId) -> State | None:
        given = {"job_id": job_id, "skew_seconds": self._skew_seconds()}
        for _ in range(_ROUNDS):
            if back := self._run("retry_waiting", job_id=job_id):
                return State(back[0][0])
            state = self.state(job_id)
            if state in {None, State.QUEUED, State.BLOCKED, State.RUNNING, State.SUCCEEDED}:
                return state
            # Only now: a key that another job has is no matter to one that can't be retried.
            if back := self._in_order(("take_key", "lock_job", "retry_ended"), given):
                return State(back[0][0])
        raise _moved(job_id, "retried")

    def delete(self, job_id: JobId) -> State | None:
        for _ in range(_ROUNDS):
            given = {"job_id": job_id}
            if self._in_order(("release_key", "delete_waiting"), given):
                return None
            if self._in_order(("release_key", "lock_job", "delete_ended"), given):
                return None
            state = self.state(job_id)
            if state in {None, State.RUNNING}:
                return state
        raise _moved(job_id, "deleted")

    def reprioritise(self, job_id: JobId, priority: int) -> State | None:
        for _ in range(_ROUNDS):
            moved = self._run("reprioritise", job_id=job_id, priority=priority)
            state = self.state(job_id)
            if moved or state not in {State.QUEUED, State.BLOCKED, State.FAILED}:
                return state
        raise _moved(job_id, "given another priority")

    def state(self, job_id: JobId) -> State | None:
        job = self.get(job_id)
        return None if job is None else job.state

    def _in_order(self, operations: tuple[str, ...], given: dict[str, Any]) -> list[Any]:
        """Run statements in one transaction, each seeing what the one before has waited for.

        When the last one finds nothing, nothing was done: the key is as it was.
        """
        found: list[Any] = []
        with self._lend() as connection, connection.transaction() as transaction:
            for operation in operations:
                sql = load(PACKAGE, operation).encode()
                found = connection.execute(sql, given).fetchall()
            if not found:
                raise Rollback(transaction)
        return found

    def _jobs(self, operation: str, **parameters: Any) -> list[Job]:
        return [rows.job(record) for record in self._dicts(operation, **parameters)]

    def _dicts(self, operation: str, **parameters: Any) -> list[dict[str, Any]]:
        with self._lend() as connection:
            cursor = connection.cursor(row_factory=dict_row)
            return cursor.execute(load(PACKAGE, operation).encode(), parameters).fetchall()

    def _run(self, operation: str, **parameters: Any) -> list[Any]:
        with self._lend() as connection:
            return self._statements.run(connection, load(PACKAGE, operation), parameters)


def _moved(job_id: JobId, done: str) -> StoreError:
    return StoreError(f"job {job_id} moved each time it was to be {done}: try again")
