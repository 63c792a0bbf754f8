"""Changes of many jobs: under one write lock, one job after the other as people change them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from functools import partial

from leasehold.errors import LeaseholdError, StoreError
from leasehold.model.ids import JobId
from leasehold.model.states import Event, State, after
from leasehold.store.sqlite import people


def cancel_many(
    connection: sqlite3.Connection, job_ids: Sequence[JobId], by: str | None, now: int
) -> dict[JobId, State | None]:
    cancel = partial(people.cancel, by=by, now=now)
    return _change_each(connection, job_ids, Event.CANCEL, cancel)


def retry_many(
    connection: sqlite3.Connection, job_ids: Sequence[JobId], now: int
) -> dict[JobId, State | None]:
    return _change_each(connection, job_ids, Event.RETRY, partial(people.retry, now=now))


def delete_many(
    connection: sqlite3.Connection, job_ids: Sequence[JobId]
) -> dict[JobId, State | None]:
    return _change_each(connection, job_ids, Event.DELETE, people.delete)


def _change_each(
    connection: sqlite3.Connection,
    job_ids: Sequence[JobId],
    event: Event,
    change: Callable[[sqlite3.Connection, JobId], State | None],
) -> dict[JobId, State | None]:
    """Change those whose state allows it; returns what they are then."""
    changed: dict[JobId, State | None] = {}
    for job_id in job_ids:
        state = people.read_state(connection, job_id)
        if state is None or after(state, event) is None:
            continue  # it has moved on
        try:
            changed[job_id] = change(connection, job_id)
        except StoreError:
            raise
        except LeaseholdError:
            continue  # the verb refuses, as when another job has its key; it has written nothing
    return changed
