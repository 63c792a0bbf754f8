"""Enqueue, as a script that runs on our own connection or on a caller's."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from leasehold.errors import IdConflict
from leasehold.model.ids import JobId
from leasehold.model.values import NewJob
from leasehold.store.base import EnqueueScript, Rows, Statement
from leasehold.store.sqlite.statements import as_json, refuse_nul, text
from leasehold.store.sqlite.times import later

# In the order in which the statement reads them.
_likeness = attrgetter(
    "tenant",
    "queue",
    "kind",
    "priority",
    "max_attempts",
    "timeout_seconds",
    "lane",
    "share",
    "cost",
    "batch",
    "created_by",
    "delay_seconds",
    "run_at",
)


def write_script(jobs: Sequence[NewJob], now: int) -> EnqueueScript:
    """Write first, look later: a transaction that reads first may not be allowed to write."""
    asked = _unique(jobs)
    if not asked:
        return frozenset()
    groups = as_json(_groups(asked.values(), now))
    refuse_nul(groups, lambda: _texts(jobs))
    written = yield Statement(text("enqueue"), {"now": now, "groups": groups})
    if len(written) == len(asked):
        return frozenset()
    new = {row[0] for row in written}
    old = {str(job_id): job for job_id, job in asked.items() if str(job_id) not in new}
    standing = yield Statement(text("enqueue_existing"), {"ids": as_json(list(old))})
    conflicts = [old[row[0]].id for row in standing if not _is_same(old[row[0]], row)]
    if conflicts:
        yield from _undo(new)
        raise IdConflict(conflicts)
    return frozenset(job.id for job in old.values())


def without_checkpoints(script: EnqueueScript) -> EnqueueScript:
    """Run it on a caller's connection, which must not checkpoint by itself: see database.py."""
    # The setting is the connection's own. It is allowed inside a transaction, and stays.
    yield Statement("PRAGMA wal_autocheckpoint = 0", {})
    return (yield from script)


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


def _unique(jobs: Sequence[NewJob]) -> dict[JobId, NewJob]:
    unique = {job.id: job for job in jobs}
    if len(unique) == len(jobs):
        return unique
    unique.clear()
    for job in jobs:
        first = unique.setdefault(job.id, job)
        if first is not job and _identity(first) != _identity(job):
            raise IdConflict([job.id])
    return unique


def _groups(jobs: Iterable[NewJob], now: int) -> list[tuple[Any, ...]]:
    """Put together what differs in nothing but id and arguments."""
    groups: dict[tuple[Any, ...], dict[JobId, msgspec.Raw]] = {}
    for job in jobs:
        groups.setdefault(_likeness(job), {})[job.id] = job.args
    return [
        ((*alike, None if (delay, run_at) == (None, None) else later(now, delay, run_at)), members)
        for (*alike, delay, run_at), members in groups.items()
    ]


def _texts(jobs: Sequence[NewJob]) -> Iterator[str | None]:
    for job in jobs:
        yield from (job.kind, job.queue, job.tenant, job.lane, job.share, job.created_by)


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
    for table in ("ready", "waiting", "scheduled", "job"):
        yield Statement(text(f"enqueue_undo_{table}"), {"ids": as_json(list(new))})
