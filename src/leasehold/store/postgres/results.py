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
    from uuid import UUID

PACKAGE = "leasehold.store.postgres"


class Results:
    """The part of the store that tells of ends."""

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def ended(self, job_ids: Sequence[JobId]) -> Mapping[JobId, Ended | None]:
        found = self._run(load(PACKAGE, "ended"), ids=list(job_ids))
        return {JobId(row[0]): _ended(*row) for row in found}


def _ended(
    job_id: UUID, kind: str | None, state: str | None, result: str | None, error: str | None
) -> Ended | None:
    if kind is None or state is None:
        return None
    return Ended(
        job_id=JobId(job_id),
        kind=kind,
        state=State(state),
        result=None if result is None else msgspec.Raw(result.encode()),
        error=error,
    )
