"""Whose jobs and batches are. A file has no users of its own: `store/tenants` keeps them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from leasehold.errors import StoreRefused
from leasehold.store.base import Statement
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import as_json, rows, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.ids import JobId
    from leasehold.store.base import Store
    from leasehold.store.contract.tenancy import OwnersScript
    from leasehold.store.sqlite.database import Database


class Tenancy:
    """The part of the store that knows of tenants."""

    _database: Database

    def owners(self, job_ids: Sequence[JobId]) -> dict[JobId, str]:
        return self._owners("owners", job_ids)

    def batch_owners(self, batch_ids: Sequence[JobId]) -> dict[JobId, str]:
        return self._owners("batch_owners", batch_ids)

    def _owners(self, statement: str, ids: Sequence[JobId]) -> dict[JobId, str]:
        with self._database.read() as connection:
            found = rows(connection, statement, ids=as_json([str(each) for each in ids]))
        return {to_job_id(each): tenant for each, tenant in found}

    def owners_script(self, job_ids: Sequence[JobId]) -> OwnersScript:
        ids = as_json([str(each) for each in job_ids])
        found = yield Statement(text("owners"), {"ids": ids})
        return {to_job_id(each): tenant for each, tenant in found}

    def as_tenant(self, _tenant: str) -> Store:
        return cast("Store", self)

    def set_up_roles(
        self,
        prefix: str | None = None,  # noqa: ARG002 - there is nothing to name
        *,
        dry_run: bool = False,  # noqa: ARG002
    ) -> tuple[str, ...]:
        raise StoreRefused("a file of SQLite has no roles; leasehold itself keeps tenants apart")

    def check_role(self) -> None:
        """Let everybody pass: who can open the file can read all of it."""
