"""The rows of pauses: engines that nobody asks until then."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from leasehold.kit.data import upsert
from leasehold_documents.data.tables import pauses

if TYPE_CHECKING:
    from sqlalchemy import Connection


def put(
    connection: Connection, engine: str, *, until: datetime, reason: str, now: datetime
) -> None:
    """Let an engine rest until then."""
    row = {"engine": engine, "until": until, "reason": reason, "created_at": now}
    upsert(connection, pauses, row, key=("engine",), keep=("created_at",))


def until(connection: Connection, engine: str, now: datetime) -> datetime | None:
    """Say until when an engine rests; None when it does not."""
    wanted = select(pauses.c.until).where(pauses.c.engine == engine, pauses.c.until > now)
    found: datetime | None = connection.scalar(wanted)
    return found


def find(connection: Connection, now: datetime) -> list[dict[str, Any]]:
    """List the engines that rest, with the reason."""
    wanted = select(pauses).where(pauses.c.until > now).order_by(pauses.c.engine)
    return [dict(row) for row in connection.execute(wanted).mappings()]


def end(connection: Connection, engine: str) -> bool:
    """Let an engine be asked again; False when it did not rest."""
    return connection.execute(delete(pauses).where(pauses.c.engine == engine)).rowcount == 1
