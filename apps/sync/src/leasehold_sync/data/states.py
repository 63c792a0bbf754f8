"""The rows of `sync_state`: from where on an incremental sync asks for changes."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import select

from leasehold.kit.data import upsert
from leasehold_sync.data.tables import state

if TYPE_CHECKING:
    from sqlalchemy import Connection


def get(connection: Connection, app_key: str, resource: str) -> datetime | None:
    """Return up to when the resource is in step; None when no sync of it has ended well."""
    found: datetime | None = connection.scalar(
        select(state.c.synced_to).where(
            state.c.app_key == app_key, state.c.resource_type == resource
        )
    )
    return found


def put(
    connection: Connection,
    app_key: str,
    resource: str,
    *,
    synced_to: datetime,
    run_id: UUID,
    now: datetime,
) -> None:
    row = {
        "app_key": app_key,
        "resource_type": resource,
        "synced_to": synced_to,
        "run_id": run_id,
        "updated_at": now,
    }
    upsert(connection, state, row, key=("app_key", "resource_type"))
