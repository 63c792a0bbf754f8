"""Enqueue on a connection of our own: prepared, sent and received without psycopg's cursors.

A cursor costs as much of the client's time as all the rest of a single enqueue. Sending and
receiving apart lets a caller build its next jobs while the database writes these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID
from weakref import WeakKeyDictionary

import msgspec
from psycopg import OperationalError, errors, generators
from psycopg.pq import ExecStatus, Format

from leasehold.model.ids import JobId
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from psycopg.pq.abc import PGresult

    from leasehold.model.values import NewJob
    from leasehold.store.postgres.connection import Connection

_ONE, _MANY = "enqueue_one", "enqueue_own"
_FINE = {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}
_encode = msgspec.json.Encoder().encode


class Enqueuing:
    """Remembers which statements each connection has prepared. Safe to use from many threads."""

    def __init__(self) -> None:
        self._prepared: WeakKeyDictionary[Connection, set[str]] = WeakKeyDictionary()

    def write(
        self, connection: Connection, jobs: Sequence[NewJob], skew_seconds: float
    ) -> frozenset[JobId]:
        """Write the jobs; returns the ids that stood there already."""
        if len(jobs) == 1 and _is_plain(jobs[0]):
            try:
                self._begin(connection, _ONE, _values(jobs[0], skew_seconds))()
            except errors.UniqueViolation:
                pass  # the same job again, or another one under its id: told apart below
            else:
                return frozenset()
        return self.begin(connection, jobs, skew_seconds)()

    def begin(
        self, connection: Connection, jobs: Sequence[NewJob], skew_seconds: float
    ) -> Callable[[], frozenset[JobId]]:
        """Hand the jobs over to the database; what is returned waits for its answer."""
        finish = self._begin(connection, _MANY, [_encode(jobs), str(skew_seconds).encode()])

        def existing() -> frozenset[JobId]:
            found = finish()
            ids = (found.get_value(row, 0) for row in range(found.ntuples))
            return frozenset(JobId(UUID(bytes=each)) for each in ids)

        return existing

    def _begin(
        self, connection: Connection, name: str, values: list[bytes | None]
    ) -> Callable[[], PGresult]:
        self._send(connection, name, values)

        def finish() -> PGresult:
            try:
                return _receive(connection)
            except errors.InvalidSqlStatementName:
                # After a rollback psycopg drops all that is prepared. Nothing was written.
                self._prepared.pop(connection, None)
                self._send(connection, name, values)
                return _receive(connection)

        return finish

    def _send(self, connection: Connection, name: str, values: list[bytes | None]) -> None:
        pgconn, sql = connection.pgconn, load("leasehold.store.postgres", name)
        if connection.prepare_threshold is None:  # behind a pooler
            pgconn.send_query_params(sql.encode(), values, result_format=Format.BINARY)
        else:
            prepared = self._prepared.setdefault(connection, set())
            if name not in prepared:
                _check(pgconn.prepare(name.encode(), sql.encode()))
                prepared.add(name)
            pgconn.send_query_prepared(name.encode(), values, result_format=Format.BINARY)
        connection.wait(generators.send(pgconn))


def _is_plain(job: NewJob) -> bool:
    """Whether it is due at once and leaves nothing to its task."""
    left = (job.queue, job.priority, job.max_attempts, job.timeout_seconds)
    return None not in left and job.delay_seconds is None and job.run_at is None


def _values(job: NewJob, skew_seconds: float) -> list[bytes | None]:
    values = (
        job.id,
        job.tenant,
        job.queue,
        job.kind,
        bytes(job.args).decode(),
        job.priority,
        job.max_attempts,
        job.timeout_seconds,
        job.lane,
        job.batch,
        job.created_by,
        skew_seconds,
    )
    return [None if each is None else str(each).encode() for each in values]


def _receive(connection: Connection) -> PGresult:
    results: list[PGresult] = connection.wait(generators.fetch_many(connection.pgconn))
    _check(results[0])
    return results[0]


def _check(result: PGresult) -> None:
    if result.status not in _FINE:
        error = errors.error_from_result(result)
        # Without a code it is not the database that speaks, but libpq of a lost connection.
        raise error if error.sqlstate else OperationalError(str(error))
