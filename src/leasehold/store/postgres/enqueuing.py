"""Enqueue on a connection of our own: a single plain job has a statement of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import msgspec
from psycopg import errors

from leasehold.model.ids import JobId
from leasehold.store.postgres.statements import Sending, Statements
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.model.values import NewJob
    from leasehold.store.postgres.connection import Connection

_encode = msgspec.json.Encoder().encode


class Enqueuing:
    """Writes jobs; a wake-up may follow in the same packet, as a transaction of its own."""

    def __init__(self, statements: Statements) -> None:
        self._statements = statements

    def write(
        self,
        connection: Connection,
        jobs: Sequence[NewJob],
        skew_seconds: float,
        *,
        wake: str | None = None,
    ) -> frozenset[JobId]:
        """Write the jobs; returns the ids that stood there already."""
        if is_one_plain(jobs):
            one = _sending("enqueue_one", _values(jobs[0], skew_seconds))
            try:
                if wake is None:
                    self._statements.begin(connection, one)()
                else:
                    follow = _sending("wake", [wake.encode()])
                    self._statements.run_both(connection, one, follow)
            except errors.UniqueViolation:
                pass  # the same job again, or another one under its id: told apart below
            else:
                return frozenset()
        return self.begin(connection, jobs, skew_seconds)()

    def begin(
        self, connection: Connection, jobs: Sequence[NewJob], skew_seconds: float
    ) -> Callable[[], frozenset[JobId]]:
        """Hand the jobs over to the database; what is returned waits for its answer."""
        values = [_encode(jobs), str(skew_seconds).encode()]
        finish = self._statements.begin(connection, _sending("enqueue_own", values))

        def existing() -> frozenset[JobId]:
            found = finish()
            ids = (found.get_value(row, 0) for row in range(found.ntuples))
            return frozenset(JobId(UUID(bytes=each)) for each in ids)

        return existing


def is_one_plain(jobs: Sequence[NewJob]) -> bool:
    """Whether it is one job, due at once, that leaves nothing to its task."""
    if len(jobs) != 1:
        return False
    job = jobs[0]
    left = (job.queue, job.priority, job.max_attempts, job.timeout_seconds)
    return None not in left and job.delay_seconds is None and job.run_at is None


def _sending(name: str, values: Sequence[bytes | None]) -> Sending:
    return Sending(load("leasehold.store.postgres", name).encode(), values)


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
