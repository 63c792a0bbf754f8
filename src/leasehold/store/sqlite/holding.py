"""Jobs of tenants with a running quota: set aside where claims meet them, claimed as it allows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

from leasehold.store.sqlite.statements import as_json, rows

MOST_AT_ONCE = 5_000


def rooms_of(connection: sqlite3.Connection, tenants: Iterable[str]) -> dict[str, int]:
    """Say of those tenants that have a running quota what it leaves; mostly none has."""
    named = {tenant for tenant in tenants if tenant}
    return dict(rows(connection, "quota_running", tenants=as_json(sorted(named)))) if named else {}


def hold(connection: sqlite3.Connection, table: str, picked: Iterable[tuple[Any, ...]]) -> bool:
    """Set aside all that tenants of what was picked have in a table, if they have a quota.

    Whether there was any: then somebody has to pick again.
    """
    tenants = list(rooms_of(connection, {row[_TENANT] for row in picked}))
    if not tenants:
        return False
    held = rows(connection, f"hold_{table}", tenants=as_json(tenants), limit=MOST_AT_ONCE)
    remove = "park_remove" if table == "ready" else "parked_remove"
    rows(connection, remove, ids=as_json([row[0] for row in held]))
    return True


_TENANT = 9  # of what is picked
