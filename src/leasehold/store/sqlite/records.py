"""Reads jobs and their histories as people see them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import msgspec

from leasehold.model.ids import JobId
from leasehold.model.lanes import shown_lane
from leasehold.model.needs import Needs
from leasehold.model.states import State
from leasehold.model.values import Attempt, Filter, Job, WorkerInfo
from leasehold.store.sqlite.statements import as_json, rows, value
from leasehold.store.sqlite.times import to_datetime

ABOVE_ALL_IDS = "g"  # ids are hexadecimal

# How a column becomes a field, where it is not the same. NULL is None for all of them.
_CONVERTERS: Mapping[str, Callable[[Any], Any]] = {
    "batch": UUID,
    "args": msgspec.json.decode,
    "result": msgspec.json.decode,
    "needs": msgspec.json.Decoder(Needs).decode,
    "state": State,
    "lane": shown_lane,
    "cancel_requested": bool,
    "run_at": to_datetime,
    "claimed_at": to_datetime,
    "lease_until": to_datetime,
    "started_at": to_datetime,
    "finished_at": to_datetime,
    "created_at": to_datetime,
    "seen_at": to_datetime,
    "queues": lambda text: tuple(msgspec.json.decode(text)),
    "kinds": lambda text: tuple(msgspec.json.decode(text)),
}


def to_job_id(text: str) -> JobId:
    return JobId(UUID(text))


def read_jobs(connection: sqlite3.Connection, job_ids: list[str]) -> list[Job]:
    """Read jobs, newest first."""
    return [Job(**_read(Job, row)) for row in rows(connection, "jobs", ids=as_json(job_ids))]


def find(
    connection: sqlite3.Connection,
    where: Filter,
    before: JobId | None,
    limit: int,
    above: JobId | None = None,
) -> list[Job]:
    """Page through the table that is the state, then read those jobs, at one moment."""
    return read_jobs(connection, find_ids(connection, where, before, limit, above))


def floor(
    connection: sqlite3.Connection, where: Filter, before: JobId | None, count: int
) -> JobId | None:
    """Say at which id a look at so many is."""
    name = "unhappy" if where.state in {State.DEAD, State.CANCELLED} else where.state or "all"
    found = value(
        connection,
        f"floor_{name}",
        before=ABOVE_ALL_IDS if before is None else str(before),
        state=where.state,
        count=count - 1,
    )
    return None if found is None else to_job_id(found)


def find_ids(
    connection: sqlite3.Connection,
    where: Filter,
    before: JobId | None,
    limit: int,
    above: JobId | None = None,
) -> list[str]:
    """Page through the table that is the state, or through a batch's members."""
    found = rows(
        connection,
        f"find_{where.state or 'all'}" if where.batch is None else "find_members",
        state=where.state,
        before=ABOVE_ALL_IDS if before is None else str(before),
        above="" if above is None else str(above),
        queue=where.queue,
        kind=where.kind,
        tenant=where.tenant,
        batch=None if where.batch is None else str(where.batch),
        limit=limit,
    )
    return [row[0] for row in found]


def history(connection: sqlite3.Connection, job_id: JobId) -> list[Attempt]:
    """List a job's ended attempts, oldest first."""
    return [Attempt(**_read(Attempt, row)) for row in rows(connection, "history", id=str(job_id))]


def workers(connection: sqlite3.Connection) -> list[WorkerInfo]:
    return [WorkerInfo(**_read(WorkerInfo, row)) for row in rows(connection, "workers")]


def _read(kind: type[msgspec.Struct], row: tuple[Any, ...]) -> dict[str, Any]:
    """Name a row's columns: the statement lists them in the order of the fields."""
    named = dict(zip(kind.__struct_fields__, row, strict=True))
    for name, convert in _CONVERTERS.items():
        if named.get(name) is not None:
            named[name] = convert(named[name])
    if kind is Job:
        named["id"] = to_job_id(named["id"])
    return named
