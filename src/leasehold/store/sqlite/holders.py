"""Who has a key: what people see of it, and what their retries and deletes do to it."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

from leasehold.errors import KeyHeld
from leasehold.model.ids import JobId
from leasehold.model.keys import Holding, KeyInfo
from leasehold.model.states import State
from leasehold.model.values import Filter, Job
from leasehold.store.sqlite.keyed import Key, asked_keys, read_holdings, row_of
from leasehold.store.sqlite.records import read_jobs
from leasehold.store.sqlite.statements import as_json, rows, text, value
from leasehold.store.sqlite.times import to_datetime


def look(connection: sqlite3.Connection, key: str, tenant: str) -> KeyInfo | None:
    """Read a key as people see it."""
    held = _read(connection, (tenant, key))
    if held is None:
        return None
    state = value(connection, "state", id=str(held.holder))
    return KeyInfo(
        key=key,
        tenant=tenant,
        holder=held.holder,
        holder_state=None if state is None else State(state),
        next=held.successor,
        taken_at=held.taken_at,
        succeeded_at=held.succeeded_at,
    )


def find(connection: sqlite3.Connection, key: str, where: Filter) -> list[Job]:
    """Find those that have the key now: it has no index of the jobs that had it once."""
    held = _read(connection, (where.tenant or "", key))
    named = [] if held is None else [held.holder, held.successor]
    found = read_jobs(connection, [str(job_id) for job_id in named if job_id is not None])
    return [job for job in found if where.admits(job)]


def forget(connection: sqlite3.Connection, key: str, tenant: str) -> bool:
    """Forget what is remembered of a key; `KeyHeld` while a live job has it."""
    held = _read(connection, (tenant, key))
    if held is None:
        return False
    _refuse_live(held, key, None)
    connection.execute(text("key_forget"), {"tenant": tenant, "key": key})
    return True


def take(connection: sqlite3.Connection, job_id: JobId, now: int) -> None:
    """Give a key back to a job that is retried; `KeyHeld` while another live job has it."""
    for tenant, key in rows(connection, "key_of_job", id=str(job_id)):
        moment = to_datetime(now)
        held = _read(connection, (tenant, key)) or Holding(
            holder=job_id, place=None, successor=None, taken_at=moment, series_at=moment
        )
        _refuse_live(held, key, job_id)
        taken = replace(
            held, holder=job_id, taken_at=moment, series_at=moment, successor=None, is_urgent=False
        )
        row = row_of((tenant, key), taken)
        connection.execute(text("key_put"), {"keys": as_json([row])})


def release(connection: sqlite3.Connection, job_id: JobId) -> None:
    """Forget the key of a job that is deleted."""
    connection.execute(text("key_release"), {"id": str(job_id)})


def _read(connection: sqlite3.Connection, key: Key) -> Holding | None:
    tenant, name = key
    return read_holdings(rows(connection, "key_look", **asked_keys(tenant, [name]))).get(key)


def _refuse_live(held: Holding, key: str, but: JobId | None) -> None:
    if held.successor is not None:
        raise KeyHeld(but, key, held.successor)
    if held.place is not None and held.holder != but:
        raise KeyHeld(but, key, held.holder)
