"""Enqueue, as a script that runs on our own connection or on a caller's."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, TypeVar

import msgspec

from leasehold.errors import IdConflict, PlainArguments
from leasehold.model.envelopes import RAW_MARK
from leasehold.model.ids import JobId
from leasehold.model.keys import Standing, Verdict
from leasehold.model.lanes import OWN
from leasehold.model.values import NewJob
from leasehold.store.base import EnqueueScript, Rows, Statement
from leasehold.store.sqlite.joining import has_batches, join_batches
from leasehold.store.sqlite.quotas import admit
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
    "needs",
    "unique",
    "delay_seconds",
    "run_at",
)
# What jobs have in common that differ in nothing but id, arguments, place and key; in this order.
_SAID = (
    *("tenant", "queue", "kind", "priority", "max_attempts", "timeout_seconds", "cost", "batch"),
    "created_by",
)
_shared = attrgetter(*_SAID, "needs", "delay_seconds", "run_at", "on_end", "trace")
_POLICY = slice(1, 6)
_NEEDS = len(_SAID)
Answer = TypeVar("Answer")


def write_script(
    jobs: Sequence[NewJob], now: int, *, ignores_quotas: bool = False
) -> EnqueueScript:
    """Write first, look later: a transaction that reads first may not be allowed to write."""
    asked = unique_jobs(jobs)
    if not asked:
        return {}
    statement = _alike(asked, now) or _of_groups(asked, now)
    refuse_nul(statement.parameters["jobs"], lambda: _texts(jobs))
    if has_batches(asked):
        yield from join_batches(asked)
    if not ignores_quotas:
        yield from admit(asked, now)
    written = yield statement
    if kinds := plain_kinds(asked):
        try:
            yield from refuse_plain(kinds)
        except PlainArguments:
            yield from _undo({row[0] for row in written})
            raise
    if len(written) == len(asked):
        return {}
    new = {row[0] for row in written}
    old = [job for job in asked if str(job.id) not in new]
    try:
        known = yield from known_ids(old)
    except IdConflict:
        yield from _undo(new)
        raise
    return {job_id: Standing(job_id, Verdict.SAME) for job_id in known}


def plain_kinds(jobs: Iterable[NewJob]) -> set[str]:
    """Name the kinds of plain jobs from somebody who does not know their tasks' code."""
    return {
        job.kind
        for job in jobs
        if job.timeout_seconds is None and not bytes(job.args).startswith(RAW_MARK)
    }


def refuse_plain(kinds: set[str]) -> Generator[Statement, Rows, None]:
    """Refuse those whose jobs are encrypted."""
    found = yield Statement(text("encrypted_kinds"), {"kinds": as_json(sorted(kinds))})
    if found:
        raise PlainArguments(found[0][0])


def known_ids(asked: Sequence[NewJob]) -> Generator[Statement, Rows, frozenset[JobId]]:
    """Say which of these jobs stand there already; `IdConflict` for other jobs under their ids."""
    standing = yield Statement(
        text("enqueue_existing"), {"ids": as_json([job.id for job in asked])}
    )
    if not standing:
        return frozenset()
    by_text = {str(job.id): job for job in asked}
    conflicts = [by_text[row[0]].id for row in standing if not _is_same(by_text[row[0]], row)]
    if conflicts:
        raise IdConflict(conflicts)
    return frozenset(by_text[row[0]].id for row in standing)


def without_checkpoints(
    script: Generator[Statement, Rows, Answer],
) -> Generator[Statement, Rows, Answer]:
    """Run it on a caller's connection, which must not checkpoint by itself: see database.py."""
    # The setting is the connection's own. It is allowed inside a transaction, and stays.
    yield Statement("PRAGMA wal_autocheckpoint = 0", {})
    return (yield from script)


def run_script(
    connection: sqlite3.Connection, script: Generator[Statement, Rows, Answer]
) -> Answer:
    """Run a script on a plain sqlite3 connection."""
    try:
        statement = next(script)
        while True:
            found = connection.execute(statement.sql, statement.parameters).fetchall()
            statement = script.send(found)
    except StopIteration as end:
        answer: Answer = end.value
        return answer


def unique_jobs(jobs: Sequence[NewJob]) -> Sequence[NewJob]:
    """Leave out what comes a second time: the same one twice counts once."""
    # By their numbers: the hash of a UUID is Python's own, and took a tenth of an enqueue.
    if len({job.id.int for job in jobs}) == len(jobs):
        return jobs
    unique: dict[JobId, NewJob] = {}
    for job in jobs:
        first = unique.setdefault(job.id, job)
        if first is not job and _identity(first) != _identity(job):
            raise IdConflict([job.id])
    return list(unique.values())


def _alike(jobs: Sequence[NewJob], now: int) -> Statement | None:
    """Write jobs with one statement that says once what they have in common; None for others.

    It is for those of lanes or with keys, of which nearly each would be a group of its own.
    """
    first = jobs[0]
    shared = _shared(first)
    is_usual = None not in shared[_POLICY] and shared[_NEEDS] is None
    if not is_usual or (first.lane is None and first.unique is None):
        return None
    if not all(_shared(job) == shared and not (job.lane or "").startswith(OWN) for job in jobs):
        return None
    if not all((each or "").isprintable() for each in _texts([first])):
        return None  # it is refused where texts are JSON
    said = {
        **dict(zip(_SAID, shared, strict=False)),
        "batch": None if first.batch is None else str(first.batch),
        "run_at": _run_at(now, first.delay_seconds, first.run_at),
        "on_end": None if first.on_end is None else bytes(first.on_end).decode(),
        "trace": first.trace,
        "now": now,
    }
    own = [
        (job.id, job.lane, job.share, None if job.unique is None else job.unique.key, job.args)
        for job in jobs
    ]
    return Statement(text("enqueue_alike"), {**said, "jobs": as_json(own)})


def _of_groups(jobs: Iterable[NewJob], now: int) -> Statement:
    return Statement(text("enqueue"), {"now": now, "jobs": as_json(_groups(jobs, now))})


def _groups(jobs: Iterable[NewJob], now: int) -> list[tuple[Any, ...]]:
    """Put together what differs in nothing but id and arguments."""
    groups: dict[tuple[Any, ...], dict[JobId, msgspec.Raw]] = {}
    for job in jobs:
        on_end = None if job.on_end is None else bytes(job.on_end).decode()
        groups.setdefault((on_end, job.trace, *_likeness(job)), {})[job.id] = job.args
    return [
        (
            (
                *alike,
                _run_at(now, delay, run_at),
                None if unique is None else unique.key,
                needs,
                on_end,
                trace,
            ),
            members,
        )
        for (on_end, trace, *alike, needs, unique, delay, run_at), members in groups.items()
    ]


def _run_at(now: int, delay_seconds: float | None, run_at: datetime | None) -> int | None:
    is_due = delay_seconds is None and run_at is None
    return None if is_due else later(now, delay_seconds, run_at)


def _texts(jobs: Sequence[NewJob]) -> Iterator[str | None]:
    for job in jobs:
        yield from (job.kind, job.queue, job.tenant, job.lane, job.share, job.created_by, job.trace)


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
    for table in ("ready", "waiting", "scheduled", "dependent", "dependency", "callback", "job"):
        yield Statement(text(f"enqueue_undo_{table}"), {"ids": as_json(list(new))})
