"""Enqueue, as a script that runs on our own connection or on a caller's."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator, Sequence
from typing import Any

import msgspec

from leasehold.errors import IdConflict
from leasehold.model.ids import JobId
from leasehold.model.values import NewJob
from leasehold.store.base import EnqueueScript, Rows, Statement
from leasehold.store.sqlite.statements import as_json, refuse_nul, text
from leasehold.store.sqlite.times import later

# The setting is the connection's own, and a caller's connection must not checkpoint by itself
# either (see database.py). It is allowed inside a transaction and is not rolled back with it.
_NO_CHECKPOINTS = "PRAGMA wal_autocheckpoint = 0"


def write_script(jobs: Sequence[NewJob], now: int) -> EnqueueScript:
    """Write first, look later: a transaction that reads first may not be allowed to write."""
    asked = _unique(jobs)
    if not asked:
        return frozenset()
    batch = as_json(_row(job, now) for job in asked.values())
    refuse_nul(batch, lambda: _texts(jobs))
    yield Statement(_NO_CHECKPOINTS, {})
    written = yield Statement(text("enqueue"), {"now": now, "jobs": batch})
    new = {row[0] for row in written}
    old = {job_id: job for job_id, job in asked.items() if job_id not in new}
    if old:
        standing = yield Statement(text("enqueue_existing"), {"ids": as_json(old)})
        conflicts = [old[row[0]].id for row in standing if not _is_same(old[row[0]], row)]
        if conflicts:
            yield from _undo(new)
            raise IdConflict(conflicts)
    return frozenset(job.id for job in old.values())


def run_script(connection: sqlite3.Connection, script: EnqueueScript) -> frozenset[JobId]:
    """Run a script on a plain sqlite3 connection."""
    try:
        statement = next(script)
        while True:
            found = connection.execute(statement.sql, statement.parameters).fetchall()
            statement = script.send(found)
    except StopIteration as end:
        ids: frozenset[JobId] = end.value
        return ids


def _unique(jobs: Sequence[NewJob]) -> dict[str, NewJob]:
    unique: dict[str, NewJob] = {}
    for job in jobs:
        first = unique.setdefault(str(job.id), job)
        if first is not job and _identity(first) != _identity(job):
            raise IdConflict([job.id])
    return unique


def _row(job: NewJob, now: int) -> tuple[Any, ...]:
    is_for_later = job.run_at is not None or job.delay_seconds is not None
    return (
        job.id,
        job.tenant,
        job.queue,
        job.kind,
        job.args,
        job.priority,
        job.max_attempts,
        job.timeout_seconds,
        job.lane,
        job.batch,
        job.created_by,
        later(now, job.delay_seconds, job.run_at) if is_for_later else None,
    )


def _texts(jobs: Sequence[NewJob]) -> Iterator[str | None]:
    for job in jobs:
        yield from (job.kind, job.queue, job.tenant, job.lane, job.created_by)


def _identity(job: NewJob) -> tuple[str, str, bytes]:
    return job.kind, job.tenant, _canonical(bytes(job.args))


def _is_same(job: NewJob, row: Sequence[Any]) -> bool:
    _, kind, tenant, args = row
    return _identity(job) == (kind, tenant, _canonical(args))


def _canonical(args: str | bytes) -> bytes:
    # Stored text is what was sent, but somebody may have sent it with blanks or in another order.
    return msgspec.json.encode(msgspec.json.decode(args), order="deterministic")


def _undo(new: set[str]) -> Generator[Statement, Rows, None]:
    # By hand: a SAVEPOINT would commit by itself if the caller has not begun a transaction yet.
    for name in ("enqueue_undo_ready", "enqueue_undo_scheduled", "enqueue_undo_job"):
        yield Statement(text(name), {"ids": as_json(new)})
