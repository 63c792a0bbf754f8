"""What jobs came to, for those who wait."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from leasehold.model.ids import JobId
from leasehold.model.results import Ended
from leasehold.model.states import State
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import as_json, rows


class Results:
    """The part of the store that tells of ends."""

    _database: Database

    def ended(self, job_ids: Sequence[JobId]) -> Mapping[JobId, Ended | None]:
        with self._database.read() as connection:
            found = rows(connection, "ended", ids=as_json(job_ids))
        return {to_job_id(row[0]): _ended(row) for row in found}


def _ended(row: Sequence[Any]) -> Ended | None:
    job_id, kind, state, result, error, tenant = row
    if kind is None or state is None:
        return None
    return Ended(
        job_id=to_job_id(job_id),
        kind=kind,
        tenant=tenant,
        state=State(state),
        result=None if result is None else msgspec.Raw(result.encode()),
        error=error,
    )
