"""Whether anything of a memory has changed, without reading it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select, text

from leasehold_memory.data.tables import unit, unit_version

if TYPE_CHECKING:
    from sqlalchemy import Connection

_ROW = text("max(rowid)")  # of the last version that was written: found without a scan


def newest(connection: Connection) -> dict[str, int]:
    """Return the newest unit, and which version was written last."""
    last_unit = connection.scalar(select(func.max(unit.c.id)))
    last_version = connection.scalar(select(_ROW).select_from(unit_version))
    return {"unit": last_unit or 0, "version": last_version or 0}
