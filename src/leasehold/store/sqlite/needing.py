"""Jobs that wait for others: let go when those have ended, or ended themselves when that is vain.

The write lock is held by whatever changes something: a look and what it leads to can't be parted.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

import msgspec

from leasehold.model.ids import JobId
from leasehold.model.needs import Needs, Predecessor, Released
from leasehold.store.sqlite.callbacks import call_back
from leasehold.store.sqlite.enqueue import run_script
from leasehold.store.sqlite.records import ABOVE_ALL_IDS, read_jobs, to_job_id
from leasehold.store.sqlite.statements import as_json, rows, text

_decode = msgspec.json.Decoder(Needs).decode
_MOVES = ("release_scheduled", "release_ready", "release_lane")


def dependents_of(connection: sqlite3.Connection, ended: Sequence[JobId]) -> list[str]:
    """Name the jobs that wait for one of these."""
    found = rows(connection, "dependents_of", ended=as_json(ended))
    return list(dict.fromkeys(row[0] for row in found))


class Pages:
    """How far the sweeps have come."""

    def __init__(self) -> None:
        self._before = ABOVE_ALL_IDS

    def next(self, connection: sqlite3.Connection, limit: int) -> list[str]:
        """Name jobs that wait for others: the newest, and the next page of all others."""
        newest = _page(connection, ABOVE_ALL_IDS, limit)
        if len(newest) < limit:
            return newest
        others = _page(connection, min(self._before, newest[-1]), limit)
        self._before = others[-1] if len(others) == limit else ABOVE_ALL_IDS
        return newest + others


def _page(connection: sqlite3.Connection, before: str, limit: int) -> list[str]:
    return [row[0] for row in rows(connection, "dependents_page", before=before, limit=limit)]


def has_verdict(
    connection: sqlite3.Connection, jobs: Sequence[str], recent: Sequence[JobId] | None
) -> bool:
    """Look without the lock whether there is anything to do: nearly always they wait on."""
    return bool(_judge(connection, jobs, recent))


def release(
    connection: sqlite3.Connection,
    jobs: Sequence[str],
    recent: Sequence[JobId] | None,
    now: int,
) -> Released:
    """Let those of these waiting jobs go that may, and end those that never can."""
    queues = dict(rows(connection, "release_queues", ids=as_json(jobs)))
    judged = _judge(connection, list(queues), recent)
    let_go = [job_id for job_id, verdict, _ in judged if verdict == "release"]
    reasons = {job_id: reason for job_id, verdict, reason in judged if verdict == "cancel"}
    for name in _MOVES:
        connection.execute(text(name), {"ids": as_json(let_go), "now": now})
    connection.execute(text("release_cancel"), {"reasons": as_json(reasons), "now": now})
    called = run_script(connection, call_back(reasons, now))
    moved = as_json([job_id for job_id, _, _ in judged])
    connection.execute(text("release_remove"), {"ids": moved})
    rows(connection, "release_unmark", ids=moved)
    return Released(
        let_go=dict(Counter(queues[job_id] for job_id in let_go)),
        cancelled=tuple(to_job_id(job_id) for job_id in sorted(reasons)),
        called=dict(Counter(called)),
    )


def has_strays(connection: sqlite3.Connection, jobs: Sequence[str]) -> bool:
    """Look without the lock whether some of these do not wait for others any more."""
    return len(rows(connection, "release_queues", ids=as_json(jobs))) < len(jobs)


def unmark(connection: sqlite3.Connection, jobs: Sequence[str]) -> None:
    """Forget that these wait for others, where they do not: cancelled or replaced meanwhile."""
    rows(connection, "release_unmark", ids=as_json(jobs))


def must_wait(connection: sqlite3.Connection, job_id: JobId) -> bool:
    """Whether a job that is retried waits for others again: it never ran, and they are not done."""
    if not rows(connection, "retry_needs", id=str(job_id)):
        return False
    return all(verdict != "release" for _, verdict, _ in _judge(connection, [str(job_id)], None))


def hold(connection: sqlite3.Connection, afresh: dict[str, object]) -> None:
    """Let a retried job wait for others."""
    connection.execute(text("retry_held"), afresh)
    connection.execute(text("retry_mark"), {"id": afresh["id"]})


def read_needs(connection: sqlite3.Connection, job_id: JobId) -> Needs | None:
    found = rows(connection, "needs_of", id=str(job_id))
    return _decode(found[0][0]) if found else None


def predecessors(connection: sqlite3.Connection, job_id: JobId) -> list[Predecessor]:
    """Read the jobs that this one was made to wait for, in the order they were named.

    Those of another tenant are as good as gone.
    """
    needs = read_needs(connection, job_id)
    named = () if needs is None else needs.jobs
    owner = {tenant for _, tenant in rows(connection, "owners", ids=as_json([str(job_id)]))}
    jobs = read_jobs(connection, [str(each) for each in named])
    found = {job.id: job for job in jobs if job.tenant in owner}
    return [
        Predecessor(id=each)
        if (job := found.get(each)) is None
        else Predecessor(
            id=each,
            kind=job.kind,
            state=job.state,
            result=job.result,
            error=job.error,
            tenant=job.tenant,
        )
        for each in named
    ]


def _judge(
    connection: sqlite3.Connection, jobs: Sequence[str], recent: Sequence[JobId] | None
) -> list[tuple[str, str, str | None]]:
    if not jobs:
        return []
    known = None if recent is None else as_json(recent)
    found: list[tuple[str, str, str | None]] = []
    found += rows(connection, "judge_needs", ids=as_json(jobs), recent=known)
    return found
