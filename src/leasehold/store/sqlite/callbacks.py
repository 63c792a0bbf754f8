"""Callbacks: a job that ended is followed by another one, made in the transaction of its end."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from typing import Any

import msgspec

from leasehold.model.batches import BatchEnded, JobEnded
from leasehold.model.envelopes import shown_text
from leasehold.model.ids import JobId, derive_id
from leasehold.model.values import NewJob
from leasehold.store.base import Rows, Statement
from leasehold.store.sqlite.enqueue import write_script
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import as_json, text

AGAIN = "again"
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(NewJob).decode


def call_back(ended: Iterable[str], now: int) -> Generator[Statement, Rows, list[str]]:
    """Make the callbacks of jobs that ended just now; returns the queues that they came to.

    Whoever takes a job's mark makes its callback: once for each end.
    """
    if not (yield Statement(text("callback_look"), {})):
        return []
    taken = yield Statement(text("callback_take"), {"ids": as_json(list(ended))})
    if not taken:
        return []
    told = yield Statement(text("callback_tell"), {"ids": as_json([row[0] for row in taken])})
    jobs = [_of_job(row) for row in told]
    yield from write_callbacks(jobs, now)
    return queues_of(jobs)


def write_callbacks(jobs: Sequence[NewJob], now: int) -> Generator[Statement, Rows, None]:
    """Write callbacks, each under the first id made of its own that nobody has.

    What has ended may have been deleted and made anew under its id, and its first callback may
    still be there: an end must not fail for it, nor go unheard.
    """
    taken = yield from _taken(jobs)
    while taken:
        jobs = [
            msgspec.structs.replace(job, id=derive_id(job.id, AGAIN)) if job.id in taken else job
            for job in jobs
        ]
        taken = yield from _taken(jobs)
    yield from write_script(jobs, now, ignores_quotas=True)  # an end must not fail


def _taken(jobs: Sequence[NewJob]) -> Generator[Statement, Rows, set[JobId]]:
    ids = as_json([job.id for job in jobs])
    standing = yield Statement(text("enqueue_existing"), {"ids": ids})
    return {to_job_id(row[0]) for row in standing}


def make_callback(asked: str, job_id: JobId, ended: JobEnded | BatchEnded) -> NewJob:
    """Make a job of what was asked for, of the same tenant unless it says whose it is."""
    document = msgspec.json.decode(asked)
    document["tenant"] = document.get("tenant") or ended.tenant
    following = document.pop("on_end", None)
    job = _decode(_encode(document | {"id": job_id, "args": {"ended": ended}}))
    if following is None:
        return job
    return msgspec.structs.replace(job, on_end=msgspec.Raw(_encode(following)))


def queues_of(jobs: Iterable[NewJob]) -> list[str]:
    """Name the queues to wake for these jobs."""
    return [job.queue or "*" for job in jobs]


def _of_job(row: Sequence[Any]) -> NewJob:
    job_id, asked, kind, state, attempt, error, tenant, batch, trace = row
    ended = JobEnded(
        job_id=to_job_id(job_id),
        kind=kind,
        state=state,
        attempt=attempt,
        error=shown_text(error),
        tenant=tenant,
        batch=None if batch is None else to_job_id(batch),
    )
    job = make_callback(asked, derive_id(to_job_id(job_id), f"end:{attempt}"), ended)
    return job if trace is None else msgspec.structs.replace(job, trace=job.trace or trace)
