"""What people ask of single jobs: to look, and to change what stands waiting, running or ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg.rows import dict_row

from leasehold.errors import StoreError
from leasehold.model.states import State
from leasehold.store.postgres import rows
from leasehold.store.postgres.facts import BOUNDS, to_facts
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import timedelta

    from leasehold.model.facts import Facts
    from leasehold.model.ids import JobId
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
        self, lend: Callable[[], AbstractContextManager[Connection]], statements: Statements
    ) -> None:
        self._lend = lend
        self._statements = statements

    def get(self, job_id: JobId) -> Job | None:
        found = self._jobs("get", job_id=job_id)
        return found[0] if found else None

    def find(self, where: Filter, before: JobId | None, limit: int) -> list[Job]:
        return self._jobs(rows.FIND[where.state], **rows.find_parameters(where, before, limit))

    def facts(self, job_id: JobId, skew: timedelta) -> Facts | None:
        found = self._dicts("facts", job_id=job_id, skew=skew, **BOUNDS)
        return to_facts(found[0]) if found else None

    def history(self, job_id: JobId) -> list[Attempt]:
        return [rows.attempt(row) for row in self._run("history", job_id=job_id)]

    def cancel(self, job_id: JobId, by: str | None, skew: timedelta) -> State | None:
        for _ in range(_ROUNDS):
            if self._run("cancel_waiting", job_id=job_id, by=by, skew=skew):
                return State.CANCELLED
            if self._run("cancel_running", job_id=job_id, by=by):
                return State.RUNNING
            state = self.state(job_id)
            if state is None or state.is_final:
                return state
        raise _moved(job_id, "cancelled")

    def retry(self, job_id: JobId) -> State | None:
        for _ in range(_ROUNDS):
            back = self._run("retry_waiting", job_id=job_id)
            if back := back or self._on_ended(job_id, "retry_ended"):
                return State(back[0][0])
            state = self.state(job_id)
            if state in {None, State.QUEUED, State.BLOCKED, State.RUNNING, State.SUCCEEDED}:
                return state
        raise _moved(job_id, "retried")

    def delete(self, job_id: JobId) -> State | None:
        for _ in range(_ROUNDS):
            if self._run("delete_waiting", job_id=job_id) or self._on_ended(job_id, "delete_ended"):
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

    def _on_ended(self, job_id: JobId, operation: str) -> list[Any]:
        with self._lend() as connection, connection.transaction():
            connection.execute(load(PACKAGE, "lock_job").encode(), {"job_id": job_id})
            # A later statement, so that it sees what the lock waited for.
            sql = load(PACKAGE, operation).encode()
            return connection.execute(sql, {"job_id": job_id}).fetchall()

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
