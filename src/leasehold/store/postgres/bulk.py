"""Changes of many jobs at once, without waiting for anybody.

Set-based statements take what nobody else has locked; the rest is done one by one, as people change
single jobs. So nothing here waits while it holds a lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.errors import LeaseholdError, StoreError
from leasehold.model.states import Event, State, after
from leasehold.store.postgres import rows
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager
    from datetime import timedelta

    from leasehold.model.ids import JobId
    from leasehold.model.values import Filter
    from leasehold.store.postgres.connection import Connection
    from leasehold.store.postgres.people import People

PACKAGE = "leasehold.store.postgres"


class Many:
    """Each method is one step; what it returns are the states of the changed ones after it."""

    def __init__(
        self, lend: Callable[[], AbstractContextManager[Connection]], people: People
    ) -> None:
        self._lend = lend
        self._people = people

    def find_ids(self, where: Filter, before: JobId | None, limit: int) -> list[JobId]:
        """List the ids of what `find` lists."""
        if where.key is not None:
            return [job.id for job in self._people.find(where, before, limit)]
        sql = _only_ids(load(PACKAGE, rows.find_statement(where)))
        parameters = rows.find_parameters(where, before, limit)
        with self._lend() as connection:
            return [row[0] for row in connection.execute(sql.encode(), parameters)]

    def cancel(
        self, job_ids: Sequence[JobId], by: str | None, skew: timedelta
    ) -> dict[JobId, State | None]:
        changed = self._change(job_ids, "cancel_many", by=by, skew=skew)
        # A later statement: it sees the leases of what was just claimed.
        changed |= self._change(_rest(job_ids, changed), "cancel_running_many", by=by)
        return changed | self._change_singly(
            _rest(job_ids, changed),
            Event.CANCEL,
            lambda job_id: self._people.cancel(job_id, by, skew),
        )

    def retry(self, job_ids: Sequence[JobId]) -> dict[JobId, State | None]:
        changed = self._change(job_ids, "retry_waiting_many")
        changed |= self._change_ended(_rest(job_ids, changed), "retry_ended_many")
        rest = _rest(job_ids, changed)
        return changed | self._change_singly(rest, Event.RETRY, self._people.retry)

    def delete(self, job_ids: Sequence[JobId]) -> dict[JobId, State | None]:
        changed = self._change(job_ids, "delete_waiting_many")
        changed |= self._change_ended(_rest(job_ids, changed), "delete_ended_many")
        rest = _rest(job_ids, changed)
        return changed | self._change_singly(rest, Event.DELETE, self._people.delete)

    def _change(
        self, job_ids: Sequence[JobId], operation: str, **parameters: Any
    ) -> dict[JobId, State | None]:
        if not job_ids:
            return {}
        with self._lend() as connection:
            found = _run(connection, operation, job_ids, parameters)
        self._people.wake(*(row[2] for row in found if len(row) > _CALLED))
        return _states(found)

    def _change_ended(self, job_ids: Sequence[JobId], operation: str) -> dict[JobId, State | None]:
        if not job_ids:
            return {}
        with self._lend() as connection, connection.transaction():
            sql = load(PACKAGE, "lock_jobs").encode()
            mine = [row[0] for row in connection.execute(sql, {"job_ids": list(job_ids)})]
            # A later statement, so that it sees what was done under the lock before.
            return _states(_run(connection, operation, mine, {}))

    def _change_singly(
        self,
        job_ids: Sequence[JobId],
        event: Event,
        change: Callable[[JobId], State | None],
    ) -> dict[JobId, State | None]:
        """Change those whose state allows it, each by itself: it waits, with nothing in hand."""
        changed: dict[JobId, State | None] = {}
        for job_id in job_ids:
            state = self._people.state(job_id)
            if state is None or after(state, event) is None:
                continue  # it has moved on
            try:
                following = change(job_id)
            except StoreError:
                raise
            except LeaseholdError:
                continue  # the verb refuses, as when another job has its key
            if following in _DONE[event]:
                changed[job_id] = following
        return changed


_CALLED = 2  # the column with the queue of a callback, where a verb may make one

# What a verb says that did something.
_DONE: dict[Event, frozenset[State | None]] = {
    Event.CANCEL: frozenset({State.CANCELLED, State.RUNNING}),
    Event.RETRY: frozenset({State.QUEUED, State.BLOCKED}),
    Event.DELETE: frozenset({None}),
}


def _run(
    connection: Connection, operation: str, job_ids: Sequence[JobId], parameters: dict[str, Any]
) -> list[tuple[Any, ...]]:
    sql = load(PACKAGE, operation).encode()
    return connection.execute(sql, {"job_ids": list(job_ids), **parameters}).fetchall()


def _states(found: Sequence[tuple[Any, ...]]) -> dict[JobId, State | None]:
    return {job_id: None if state is None else State(state) for job_id, state, *_ in found}


def _only_ids(find: str) -> str:
    """Leave out of a statement that finds jobs what it reads of each."""
    page, end, _ = find.replace("SELECT record.*", "SELECT page.job_id", 1).partition(") AS page\n")
    return f"{page}{end}ORDER BY page.job_id DESC"


def _rest(job_ids: Sequence[JobId], changed: dict[JobId, State | None]) -> list[JobId]:
    return [job_id for job_id in job_ids if job_id not in changed]
