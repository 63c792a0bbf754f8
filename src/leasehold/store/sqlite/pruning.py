"""Takes away, in steps, what is past its time. The write lock is held only for what goes."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from leasehold.model.ids import uuid7
from leasehold.model.keeping import Pruned, Pruning, shortest_seconds
from leasehold.store.sqlite import retentions
from leasehold.store.sqlite.statements import count, rows, value
from leasehold.store.sqlite.times import SECOND

_FIRST_ID = "00000000-0000-0000-0000-000000000000"
_LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff"
_DAY = 86_400 * SECOND
_OF_JOBS = ("outcome", "checkpoint", "step", "dependency", "dependent", "callback", "job")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What to look at, from where on, and at most how much of it."""

    what: Pruning
    cursor: str | None
    limit: int
    late_seconds: float
    now: int

    def horizon(self, connection: sqlite3.Connection) -> int:
        """Return the moment before which something must have been made to be past its time."""
        shortest = shortest_seconds(retentions.listed(connection))
        return max(0, self.now - int(min(shortest, 1e10) * SECOND))


@dataclass(frozen=True, slots=True)
class Found:
    """What a look has seen: how much, where the next one begins, and what of it may go."""

    seen: int
    cursor: str | None
    due: str = "[]"  # JSON
    count: int = 0
    batch: str | None = None


def look(connection: sqlite3.Connection, step: Step) -> Found:
    """Look without changing anything."""
    return _LOOKS[step.what](connection, step)


def take_away(connection: sqlite3.Connection, step: Step) -> Pruned:
    """Look again, under the write lock, and take away what may go."""
    found = look(connection, step)
    match step.what:
        case Pruning.JOBS:
            _erase(connection, found.due)
        case Pruning.BATCHES:
            found = _take_members(connection, step, found)
        case Pruning.KEYS:
            rows(connection, "erase_keys", keys=found.due)
    return Pruned(found.seen, found.count, found.cursor)


def _look_at_jobs(connection: sqlite3.Connection, step: Step) -> Found:
    horizon = _first_id(step.horizon(connection))
    start = step.cursor or _FIRST_ID
    found = _jobs_between(connection, step, start, horizon)
    if found.seen:
        return found
    # Ids that callers made in another way than we do come last.
    return _jobs_between(connection, step, max(start, _first_id(step.now + _DAY)), _LAST_ID)


def _jobs_between(connection: sqlite3.Connection, step: Step, after: str, before: str) -> Found:
    ((seen, last, due),) = rows(
        connection,
        "prune_jobs_look",
        after=after,
        before=before,
        limit=step.limit,
        now=step.now,
        late_seconds=step.late_seconds,
    )
    return Found(seen, last, due, due.count(",") + 1 if due != "[]" else 0)


def _look_at_batches(connection: sqlite3.Connection, step: Step) -> Found:
    """Find the next batch; it goes as a whole, when all its members may."""
    is_sure = step.cursor is not None and step.cursor.endswith("!")
    start = (step.cursor or _FIRST_ID).rstrip("!")
    horizon = step.horizon(connection)
    found = rows(
        connection,
        "prune_batches_look",
        after=start,
        is_sure=is_sure,
        before=_first_id(horizon),
        ended_before=horizon,
    )
    if not found:
        return Found(0, None)
    ((batch, ended_at),) = found
    is_known = is_sure and batch == start
    if not is_known and _is_kept(connection, step, batch, ended_at):
        return Found(1, batch)
    members = value(connection, "prune_batches_count", batch=batch)
    return Found(1, batch, count=members, batch=batch)


def _is_kept(connection: sqlite3.Connection, step: Step, batch: str, ended_at: int) -> bool:
    given = {"now": step.now, "ended_at": ended_at, "late_seconds": step.late_seconds}
    return value(connection, "prune_batches_kept", batch=batch, **given) is not None


def _take_members(connection: sqlite3.Connection, step: Step, found: Found) -> Found:
    if found.batch is None:
        return found
    members = value(connection, "prune_batches_members", batch=found.batch, limit=step.limit)
    _erase(connection, members)
    taken = len(msgspec.json.decode(members))
    if count(connection, "erase_batch", batch=found.batch) == 0 and taken > 0:
        found = replace(found, cursor=f"{found.batch}!")  # the next step goes on with it
    return replace(found, count=taken)


def _look_at_keys(connection: sqlite3.Connection, step: Step) -> Found:
    tenant, key = msgspec.json.decode(step.cursor or '["", ""]')
    given: dict[str, Any] = {"now": step.now, "late_seconds": step.late_seconds}
    ((seen, last, due),) = rows(
        connection, "prune_keys_look", tenant=tenant, key=key, limit=step.limit, **given
    )
    return Found(seen, last, due, len(msgspec.json.decode(due)))


def _erase(connection: sqlite3.Connection, jobs: str) -> None:
    for table in _OF_JOBS:
        rows(connection, f"erase_{table}", jobs=jobs)


def _first_id(moment: int) -> str:
    """Return the id that jobs made from this moment on are not below."""
    return str(uuid7(moment // 1_000, bytes(10)))


_LOOKS = {
    Pruning.JOBS: _look_at_jobs,
    Pruning.BATCHES: _look_at_batches,
    Pruning.KEYS: _look_at_keys,
}
