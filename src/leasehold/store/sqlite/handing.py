"""Hands keys over to those who waited for them."""

from __future__ import annotations

import sqlite3

from leasehold.store.sqlite.people import end_waiting
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import rows, text

_LET_GO = ("hand_over_scheduled", "hand_over_ready", "hand_over_lane", "hand_over_remove")


def has_work(connection: sqlite3.Connection) -> bool:
    """Look without a lock whether anybody may be let go."""
    return bool(rows(connection, "hand_over_look", limit=1))


def hand_over(connection: sqlite3.Connection, limit: int, now: int) -> int:
    """Let those go that waited behind a job which runs no more; tell others to stop for them."""
    moved = 0
    for tenant, key, holder, following, is_waiting, is_running in rows(
        connection, "hand_over_look", limit=limit
    ):
        named = {"tenant": tenant, "key": key}
        if not is_waiting:  # cancelled or deleted since
            connection.execute(text("key_forget_next"), named)
        elif is_running:
            connection.execute(text("cancel_lease"), {"id": holder, "by": f"job {following}"})
        else:
            # Its next try, if it was to have one, is not wanted any more.
            end_waiting(connection, to_job_id(holder), f"replaced by job {following}", now)
            for name in _LET_GO:
                connection.execute(text(name), {"id": following, "now": now})
            taken = named | {"next": following, "job_id": holder}
            connection.execute(text("hand_over_key"), taken)
            moved += 1
    return moved
