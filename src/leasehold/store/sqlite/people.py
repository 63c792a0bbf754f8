"""What people ask of single jobs. The write lock is held: a look and a change can't be parted."""

from __future__ import annotations

import sqlite3

from leasehold.model.ids import JobId
from leasehold.model.states import State
from leasehold.store.sqlite import holders, needing
from leasehold.store.sqlite.callbacks import call_back
from leasehold.store.sqlite.enqueue import run_script
from leasehold.store.sqlite.statements import rows, text, value

_WAITING_TABLES = ("ready", "waiting", "scheduled", "parked")
_HISTORY_TABLES = ("outcome", "checkpoint", "step", "dependent", "dependency")
_WAITING_STATES = (State.QUEUED, State.BLOCKED, State.FAILED)


def read_state(connection: sqlite3.Connection, job_id: JobId) -> State | None:
    found = value(connection, "state", id=str(job_id))
    return None if found is None else State(found)


def cancel(connection: sqlite3.Connection, job_id: JobId, by: str | None, now: int) -> State | None:
    state = read_state(connection, job_id)
    if state is State.RUNNING:
        connection.execute(text("cancel_lease"), {"id": str(job_id), "by": by})
    elif state in _WAITING_STATES:
        end_waiting(connection, job_id, f"cancelled by {by}" if by else "cancelled", now)
        return State.CANCELLED
    return state


def end_waiting(connection: sqlite3.Connection, job_id: JobId, why: str, now: int) -> None:
    """End a job as cancelled, wherever it waits; one that does not wait stays as it is."""
    for table in _WAITING_TABLES:
        for attempt, failures, lapses, tenant in rows(
            connection, f"cancel_{table}", id=str(job_id)
        ):
            ending = {
                "id": str(job_id),
                "attempt": attempt,
                "failures": failures,
                "lapses": lapses,
                "now": now,
                "tenant": tenant,
                "error": why,
            }
            connection.execute(text("cancel_outcome"), ending)
            run_script(connection, call_back([str(job_id)], now))


def retry(connection: sqlite3.Connection, job_id: JobId, now: int) -> State | None:
    state = read_state(connection, job_id)
    if state is State.FAILED:
        ((attempt, priority),) = rows(connection, "retry_scheduled", id=str(job_id))
    elif state is State.DEAD or state is State.CANCELLED:
        holders.take(connection, job_id, now)
        ((attempt, priority),) = rows(connection, "retry_outcome", id=str(job_id))
        connection.execute(text("callback_mark"), {"id": str(job_id)})
    else:
        return state
    afresh = {"id": str(job_id), "attempt": attempt, "priority": priority}
    if state is not State.FAILED and needing.must_wait(connection, job_id):
        needing.hold(connection, afresh)
        return State.BLOCKED
    for table in ("ready", "waiting"):  # the one or the other: it has a lane or not
        connection.execute(text(f"retry_{table}"), afresh)
    return read_state(connection, job_id)


def delete(connection: sqlite3.Connection, job_id: JobId) -> State | None:
    if read_state(connection, job_id) is State.RUNNING:
        return State.RUNNING
    holders.release(connection, job_id)
    for table in (*_WAITING_TABLES, "callback", *_HISTORY_TABLES, "job"):
        connection.execute(text(f"delete_{table}"), {"id": str(job_id)})
    return None


def reprioritise(connection: sqlite3.Connection, job_id: JobId, priority: int) -> State | None:
    state = read_state(connection, job_id)
    if state in _WAITING_STATES:
        for table in _WAITING_TABLES:
            change = {"id": str(job_id), "priority": priority}
            connection.execute(text(f"reprioritise_{table}"), change)
    return state
