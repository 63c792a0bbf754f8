"""Finds the jobs that are about units or entities, by their arguments."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import select, text

from leasehold_memory.data.sets import among
from leasehold_memory.data.tables import unit, unit_version

if TYPE_CHECKING:
    from sqlalchemy import Connection

# All jobs are looked at: nobody asks often.
_ABOUT = text("""
SELECT id, status = 1 AS is_running
FROM jobs
WHERE json_extract(payload, '$.unit_id') IN (SELECT value FROM json_each(:unit_ids))
   OR json_extract(payload, '$.entity_id') IN (SELECT value FROM json_each(:entity_ids))
   OR id IN (SELECT value FROM json_each(:job_ids))
ORDER BY id
""")


def jobs_about(
    connection: Connection,
    unit_ids: Collection[int],
    entity_ids: Collection[int],
    job_ids: Collection[UUID],
) -> dict[UUID, bool]:
    """Return the jobs that were given one of these, and those named; whether each runs now."""
    given = {
        "unit_ids": json.dumps(sorted(unit_ids)),
        "entity_ids": json.dumps(sorted(entity_ids)),
        "job_ids": json.dumps(sorted(map(str, job_ids))),
    }
    return {UUID(row.id): bool(row.is_running) for row in connection.execute(_ABOUT, given)}


def jobs_behind(connection: Connection, unit_ids: Collection[int]) -> set[UUID]:
    """Return the jobs that derived any version of these."""
    last = select(unit.c.job_id).where(among(unit.c.id, unit_ids))
    earlier = select(unit_version.c.job_id).where(among(unit_version.c.unit_id, unit_ids))
    return {each for each in connection.scalars(last.union(earlier)) if each is not None}
