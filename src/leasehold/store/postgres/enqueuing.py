"""Enqueue on a connection of our own.

Nearly always a job is plain: due at once, in no lane or batch, without a key, and its policy is
said. One such job, and many that differ in nothing but their ids and arguments, have statements of
their own; `enqueue_many` of the SQL API takes all others, and finds out what an id that stands
there already means; `enqueue_keyed` takes those with a key.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec
from psycopg import Error, errors
from psycopg.pq import Format

from leasehold.errors import KeyBusy
from leasehold.store.base import keys_of
from leasehold.store.postgres import rows
from leasehold.store.postgres.arrays import pack_ids, pack_texts
from leasehold.store.postgres.errors import QUOTA_EXCEEDED
from leasehold.store.postgres.statements import Sending, Statements
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.model.values import NewJob
    from leasehold.store.base import Answers
    from leasehold.store.postgres.connection import Connection

_encode = msgspec.json.Encoder().encode


class Enqueuing:
    """Writes jobs; a wake-up may go ahead in the same packet, as a transaction of its own."""

    def __init__(self, statements: Statements, *, is_plain_allowed: bool = True) -> None:
        self._statements = statements
        self._is_plain_allowed = is_plain_allowed

    def write(
        self,
        connection: Connection,
        jobs: Sequence[NewJob],
        skew_seconds: float,
        *,
        wake: str | None = None,
    ) -> Answers:
        """Write the jobs; tells of those that were not simply written."""
        if wake is None:
            return self.begin(connection, jobs, skew_seconds)()
        ahead = _sending("wake", [wake.encode()])
        try:
            self._statements.run_both(connection, ahead, _of_one(jobs[0], skew_seconds))
        except Error as error:
            if not _may_be_known(error):
                raise
            return self._begin_any(connection, jobs, skew_seconds)()
        return {}

    def begin(
        self, connection: Connection, jobs: Sequence[NewJob], skew_seconds: float
    ) -> Callable[[], Answers]:
        """Hand the jobs over to the database; what is returned waits for its answer."""
        if not self._is_plain_allowed or not are_plain_and_alike(jobs):
            return self._begin_any(connection, jobs, skew_seconds)
        sending = (
            _of_one(jobs[0], skew_seconds) if len(jobs) == 1 else _of_alike(jobs, skew_seconds)
        )
        finish = self._statements.begin(connection, sending)

        def existing() -> Answers:
            try:
                finish()
            except Error as error:
                if not _may_be_known(error):
                    raise
                # One of them again, or another job under its id: told apart there. What stands
                # there already needs no quota.
                return self._begin_any(connection, jobs, skew_seconds)()
            return {}

        return existing

    def _begin_any(
        self, connection: Connection, jobs: Sequence[NewJob], skew_seconds: float
    ) -> Callable[[], Answers]:
        if keys := keys_of(jobs):
            return self._begin_keyed(connection, jobs, skew_seconds, keys)
        finish = self._statements.begin(connection, _of_any("enqueue_own", jobs, skew_seconds))

        def existing() -> Answers:
            found = self._statements.rows(connection, finish())
            return dict(rows.existing(row[0]) for row in found)

        return existing

    def _begin_keyed(
        self, connection: Connection, jobs: Sequence[NewJob], skew_seconds: float, keys: list[str]
    ) -> Callable[[], Answers]:
        sending = _of_any("enqueue_keyed_own", jobs, skew_seconds)
        finish = self._statements.begin(connection, sending)

        def answers() -> Answers:
            try:
                found = self._statements.rows(connection, finish())
            except errors.LockNotAvailable as error:
                raise KeyBusy(keys) from error
            return dict(map(rows.standing, found))

        return answers


def _may_be_known(error: Error) -> bool:
    return isinstance(error, errors.UniqueViolation) or error.sqlstate == QUOTA_EXCEEDED


_shared = attrgetter(
    "tenant",
    "queue",
    "kind",
    "priority",
    "max_attempts",
    "timeout_seconds",
    "created_by",
    "trace",
)
_POLICY = slice(1, 6)
_FORMATS_OF_REST = [Format.TEXT] * 9  # the shared fields, and the skew
_FORMATS_OF_ONE = [Format.BINARY, Format.TEXT, *_FORMATS_OF_REST]
_FORMATS_OF_ALIKE = [Format.BINARY, Format.BINARY, *_FORMATS_OF_REST]
_own = attrgetter(
    *("delay_seconds", "run_at", "lane", "share", "cost", "unique", "needs", "batch", "on_end")
)
_NOTHING_OF_ITS_OWN = (None,) * 9


def are_plain_and_alike(jobs: Sequence[NewJob]) -> bool:
    """Whether all are due at once, by themselves, and leave nothing to their task."""
    if not jobs:
        return False
    shared = _shared(jobs[0])
    return None not in shared[_POLICY] and all(
        _own(job) == _NOTHING_OF_ITS_OWN and _shared(job) == shared for job in jobs
    )


def _of_one(job: NewJob, skew_seconds: float) -> Sending:
    values = [job.id.bytes, bytes(job.args), *_rest(job, skew_seconds)]
    return _sending("enqueue_one", values, _FORMATS_OF_ONE)


def _of_alike(jobs: Sequence[NewJob], skew_seconds: float) -> Sending:
    ids = pack_ids([job.id for job in jobs])
    args = pack_texts([bytes(job.args) for job in jobs])
    rest = _rest(jobs[0], skew_seconds)
    return _sending("enqueue_alike", [ids.data, args.data, *rest], _FORMATS_OF_ALIKE)


def _rest(job: NewJob, skew_seconds: float) -> tuple[bytes | None, ...]:
    return _written((*_shared(job), skew_seconds))


@lru_cache(maxsize=256)  # most jobs of a program differ in nothing of this
def _written(values: tuple[object, ...]) -> tuple[bytes | None, ...]:
    return tuple(None if each is None else str(each).encode() for each in values)


def _of_any(name: str, jobs: Sequence[NewJob], skew_seconds: float) -> Sending:
    return _sending(name, [_encode(jobs), str(skew_seconds).encode()])


def _sending(
    name: str, values: Sequence[bytes | None], formats: Sequence[Format] | None = None
) -> Sending:
    return Sending(load("leasehold.store.postgres", name).encode(), values, formats=formats)
