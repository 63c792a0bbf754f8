"""Whose jobs and batches are, and the store as one tenant may use it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from leasehold.model.ids import JobId
from leasehold.store.base import Statement
from leasehold.store.parameters import to_pyformat
from leasehold.store.postgres.roles import DEFAULT_PREFIX, find_prefix, set_up
from leasehold.store.postgres.schema import persist
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from leasehold.store.base import Rows
    from leasehold.store.contract.tenancy import OwnersScript
    from leasehold.store.postgres.bounds import Bounds
    from leasehold.store.postgres.connection import Connection
    from leasehold.store.postgres.store import Bounded

PACKAGE = "leasehold.store.postgres"


class Tenancy:
    """The part of the store that knows of tenants."""

    url: str
    skew_seconds: float
    _bounds: Bounds
    _bounded: Bounded | None

    def _lend(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def owners(self, job_ids: Sequence[JobId]) -> dict[JobId, str]:
        sql = to_pyformat(load(PACKAGE, "owners"))
        return _owners(self._run(sql, ids=_joined(job_ids)))

    def batch_owners(self, batch_ids: Sequence[JobId]) -> dict[JobId, str]:
        return _owners(self._run(load(PACKAGE, "batch_owners"), ids=_joined(batch_ids)))

    def owners_script(self, job_ids: Sequence[JobId]) -> OwnersScript:
        found = yield self._for_caller("owners", {"ids": _joined(job_ids)})
        return _owners(found)

    def _for_caller(self, name: str, parameters: dict[str, Any]) -> Statement:
        """Name a statement for a caller's connection; a tenant's acts as the tenant there, too."""
        if self._bounded is None:
            return Statement(load(PACKAGE, name), parameters)
        whose = {"tenant": self._bounded.tenant}
        return Statement(load(PACKAGE, f"{name}_tenant"), parameters | whose)

    def set_up_roles(self, prefix: str | None = None, *, dry_run: bool = False) -> tuple[str, ...]:
        with self._lend() as connection:
            chosen = prefix or find_prefix(connection) or DEFAULT_PREFIX
            return persist(partial(set_up, connection, chosen, dry_run=dry_run))

    def check_role(self) -> None:
        self._bounds.check()


def _joined(ids: Sequence[JobId]) -> str:
    return ",".join(map(str, ids))


def _owners(found: Rows) -> dict[JobId, str]:
    return {JobId(UUID(each)): tenant for each, tenant in found}
