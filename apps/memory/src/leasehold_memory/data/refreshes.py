"""When a summary or capsule was refreshed last, and up to which episode: what is due is told by it.

An episode is newer by its number, never by a clock. A clock was set back when it stands before the
last refresh: then nobody rests, or what is due would starve until the clock has caught up.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from leasehold.kit.data import upsert
from leasehold_memory.data.tables import refresh

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session


class Refresh(NamedTuple):
    """How a scope stands."""

    episode_id: int = 0
    finished_at: datetime | None = None
    asked_at: datetime | None = None

    def has_rested(self, cooldown: timedelta, *, now: datetime) -> bool:
        """Whether it was refreshed longer ago than its cooldown, or never."""
        return _is_over(self.finished_at, cooldown, now=now)

    def may_ask(self, cooldown: timedelta, *, now: datetime) -> bool:
        """Whether the check may ask for it: one that failed is not asked for at once again."""
        return self.has_rested(cooldown, now=now) and _is_over(self.asked_at, cooldown, now=now)


def get(connection: Connection | Session, scope_key: str) -> Refresh:
    """Return how a scope stands."""
    return get_all(connection, [scope_key])[scope_key]


def get_all(connection: Connection | Session, scope_keys: Collection[str]) -> dict[str, Refresh]:
    """Return how some scopes stand; of one that was never refreshed, that."""
    rows = connection.execute(select(refresh).where(refresh.c.scope_key.in_(scope_keys)))
    known = {row.scope_key: Refresh(row.episode_id, row.finished_at, row.asked_at) for row in rows}
    return {key: known.get(key, Refresh()) for key in scope_keys}


def note(connection: Connection, scope_key: str, episode_id: int, *, now: datetime) -> None:
    """Remember that it is fresh up to this episode."""
    row = {"scope_key": scope_key, "episode_id": episode_id, "finished_at": now}
    upsert(connection, refresh, row, key=["scope_key"])


def note_asked(connection: Connection, scope_key: str, *, now: datetime) -> None:
    """Remember that the check has asked for it."""
    upsert(connection, refresh, {"scope_key": scope_key, "asked_at": now}, key=["scope_key"])


def _is_over(since: datetime | None, cooldown: timedelta, *, now: datetime) -> bool:
    """Whether a cooldown is over; it is, too, when it would begin in the future."""
    return since is None or not timedelta(0) <= now - since < cooldown
