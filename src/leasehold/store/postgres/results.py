"""What jobs came to, for those who wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.ids import JobId
from leasehold.model.results import Ended
from leasehold.model.states import State
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PACKAGE = "leasehold.store.postgres"


class Results:
    """The part of the store that tells of ends."""

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def ended(self, job_ids: Sequence[JobId]) -> Mapping[JobId, Ended | None]:
        found = self._run(load(PACKAGE, "ended"), ids=list(job_ids))
        return {JobId(row[0]): _ended(row) for row in found}


def _ended(row: Sequence[Any]) -> Ended | None:
    job_id, kind, state, result, error, tenant = row
    if kind is None or state is None:
        return None
    return Ended(
        job_id=JobId(job_id),
        kind=kind,
        tenant=tenant,
        state=State(state),
        result=None if result is None else msgspec.Raw(result.encode()),
        error=error,
    )
