"""When a summary or capsule was refreshed last, and up to which episode: what is due is told by it.

An episode is newer by its number, never by a clock. A clock was set back when it stands before the
last refresh: then nobody rests, or what is due would starve until the clock has caught up.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from leasehold.kit.data import upsert
from leasehold_memory.data.tables import refresh

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session


def has_rested(
    connection: Connection | Session, scope_key: str, cooldown: timedelta, *, now: datetime
) -> bool:
    """Whether it was refreshed longer ago than its cooldown, or never."""
    finished_at = connection.execute(
        select(refresh.c.finished_at).where(refresh.c.scope_key == scope_key)
    ).scalar()
    return finished_at is None or is_over(finished_at, cooldown, now=now)


def is_over(finished_at: datetime, cooldown: timedelta, *, now: datetime) -> bool:
    """Whether a cooldown is over; it is, too, when it would begin in the future."""
    return not timedelta(0) <= now - finished_at < cooldown


def seen_up_to(connection: Connection | Session, scope_key: str) -> int:
    """Return the newest episode that its last refresh has seen; 0: there was none."""
    found = connection.execute(
        select(refresh.c.episode_id).where(refresh.c.scope_key == scope_key)
    ).scalar()
    return found or 0


def note(connection: Connection, scope_key: str, episode_id: int, *, now: datetime) -> None:
    """Remember that it is fresh up to this episode."""
    row = {"scope_key": scope_key, "episode_id": episode_id, "finished_at": now}
    upsert(connection, refresh, row, key=["scope_key"])
