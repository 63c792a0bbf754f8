"""Whose jobs and batches are, and the store as one tenant may use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from leasehold.model.ids import JobId
from leasehold.store.base import Statement
from leasehold.store.parameters import to_pyformat
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.store.base import Rows, Store
    from leasehold.store.contract.tenancy import OwnersScript

PACKAGE = "leasehold.store.postgres"


class Tenancy:
    """The part of the store that knows of tenants."""

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def owners(self, job_ids: Sequence[JobId]) -> dict[JobId, str]:
        sql = to_pyformat(load(PACKAGE, "owners"))
        return _owners(self._run(sql, ids=_joined(job_ids)))

    def batch_owners(self, batch_ids: Sequence[JobId]) -> dict[JobId, str]:
        return _owners(self._run(load(PACKAGE, "batch_owners"), ids=_joined(batch_ids)))

    def owners_script(self, job_ids: Sequence[JobId]) -> OwnersScript:
        found = yield Statement(load(PACKAGE, "owners"), {"ids": _joined(job_ids)})
        return _owners(found)

    def as_tenant(self, _tenant: str) -> Store:
        return cast("Store", self)


def _joined(ids: Sequence[JobId]) -> str:
    return ",".join(map(str, ids))


def _owners(found: Rows) -> dict[JobId, str]:
    return {JobId(UUID(each)): tenant for each, tenant in found}
