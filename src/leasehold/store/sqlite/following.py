"""What follows from ends, after their commit: the ends of batches, with their callbacks.

The write lock is held: a look and an end can't be parted.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from leasehold.model.batches import BatchEnded, Followed
from leasehold.model.ids import JobId, derive_id
from leasehold.model.values import NewJob
from leasehold.store.sqlite.callbacks import make_callback, queues_of, write_callbacks
from leasehold.store.sqlite.enqueue import run_script
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import as_json, rows, text, value

_ROW = (
    *("id", "tenant", "name", "parent", "meta", "on_end", "on_failure", "round"),
    *("sealed_at", "failed_at", "cancelled_at", "ended_at"),
)


# -- looking, without a lock -----------------------------------------------------------------------
def batches_of(connection: sqlite3.Connection, ended: Sequence[JobId]) -> dict[JobId, bool | None]:
    """Name the batches of these jobs, and whether one of them has ended dead."""
    found = rows(connection, "batches_of", ids=as_json(list(ended)))
    return {to_job_id(batch): bool(has_dead) for batch, has_dead in found}


def unended(
    connection: sqlite3.Connection, after: JobId | None, limit: int
) -> tuple[list[JobId], dict[JobId, str | None]]:
    """Name batches that may have to be ended; and those of them that were cancelled, by whom."""
    start = "" if after is None else str(after)
    found = rows(connection, "sweep_batches", after=start, limit=limit)
    cancelled = {to_job_id(each): by for each, is_cancelled, by in found if is_cancelled}
    return [to_job_id(row[0]) for row in found], cancelled


def has_work(connection: sqlite3.Connection, asked: Mapping[JobId, bool | None]) -> bool:
    """Whether something is to be done for one of these batches."""
    return any(_due(connection, batch_id, dead) for batch_id, dead in asked.items())


def _due(connection: sqlite3.Connection, batch_id: JobId, dead: bool | None) -> bool:  # noqa: FBT001 - as follow_batch of PostgreSQL
    batch = _read(connection, batch_id)
    return batch is not None and (
        _is_failed(connection, batch, dead) or _is_over(connection, batch)
    )


# -- following -------------------------------------------------------------------------------------
@dataclass(slots=True)
class _Done:
    """What came of it so far."""

    ended: list[JobId] = field(default_factory=list)
    failed: list[JobId] = field(default_factory=list)
    jobs: list[NewJob] = field(default_factory=list)


def follow(
    connection: sqlite3.Connection, asked: Mapping[JobId, bool | None], now: int
) -> Followed:
    """End batches in which nothing is alive, then their parents; notice first dead members."""
    done = _Done()
    level = dict(asked)
    while level:
        parents = [
            _follow(connection, batch_id, dead, now, done) for batch_id, dead in level.items()
        ]
        level = {parent: False for parent in parents if parent is not None}
    run_script(connection, write_callbacks(done.jobs, now))
    return Followed(tuple(done.ended), tuple(done.failed), (), Counter(queues_of(done.jobs)))


def _follow(
    connection: sqlite3.Connection,
    batch_id: JobId,
    dead: bool | None,  # noqa: FBT001 - None: look for one
    now: int,
    done: _Done,
) -> JobId | None:
    """Do what follows for one batch; returns its parent when it ended."""
    batch = _read(connection, batch_id)
    if batch is None:
        return None
    is_over = _is_over(connection, batch)
    if _is_failed(connection, batch, None if is_over else dead):
        rows(connection, "fail_batch", id=str(batch_id), now=now)
        done.failed.append(batch_id)
        done.jobs.append(_callback(connection, batch, "failure"))
    if not is_over:
        return None
    rows(connection, "end_batch", id=str(batch_id), now=now)
    done.ended.append(batch_id)
    if batch["on_end"] is not None:
        done.jobs.append(_callback(connection, batch, "end"))
    return None if batch["parent"] is None else to_job_id(batch["parent"])


def _read(connection: sqlite3.Connection, batch_id: JobId) -> dict[str, Any] | None:
    """Read a batch that has not ended."""
    for row in rows(connection, "batch_row", id=str(batch_id)):
        batch = dict(zip(_ROW, row, strict=True))
        return batch if batch["ended_at"] is None else None
    return None


def _is_failed(connection: sqlite3.Connection, batch: dict[str, Any], dead: bool | None) -> bool:  # noqa: FBT001
    if batch["on_failure"] is None or batch["failed_at"] is not None:
        return False
    return dead if dead is not None else bool(rows(connection, "batch_has_dead", id=batch["id"]))


def _is_over(connection: sqlite3.Connection, batch: dict[str, Any]) -> bool:
    return batch["sealed_at"] is not None and not value(connection, "batch_is_live", id=batch["id"])


def _callback(connection: sqlite3.Connection, batch: dict[str, Any], purpose: str) -> NewJob:
    batch_id = to_job_id(batch["id"])
    names = ("total", "succeeded", "dead", "cancelled")
    sql = text("get_batch")
    cursor = connection.execute(sql, {"ids": as_json([batch_id])})
    columns = [column[0] for column in cursor.description]
    counted = dict(zip(columns, cursor.fetchone(), strict=True))
    ended = BatchEnded(
        batch=batch_id,
        name=batch["name"],
        tenant=batch["tenant"],
        meta=msgspec.json.decode(batch["meta"]),
        round=batch["round"],
        is_cancelled=batch["cancelled_at"] is not None,
        **{name: counted[name] for name in names},
    )
    job_id = derive_id(batch_id, f"{purpose}:{batch['round']}")
    return make_callback(batch[f"on_{purpose}"], job_id, ended)
