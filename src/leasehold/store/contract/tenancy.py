"""What a store can say of tenants, so that one of them can be kept apart from all others."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

from leasehold.model.ids import JobId

if TYPE_CHECKING:
    from leasehold.store.base import Rows, Statement, Store

OwnersScript: TypeAlias = "Generator[Statement, Rows, dict[JobId, str]]"


class TenancyStore(Protocol):
    """A job's tenant never changes: whoever knows it may act on the job in a later step."""

    def owners(self, job_ids: Sequence[JobId]) -> dict[JobId, str]:
        """Say whose these jobs are, those of them that there are."""

    def owners_script(self, job_ids: Sequence[JobId]) -> OwnersScript:
        """Do the same on a caller's connection: it sees what its transaction has written."""

    def batch_owners(self, batch_ids: Sequence[JobId]) -> dict[JobId, str]:
        """Say whose these batches are, those of them that there are."""

    def as_tenant(self, tenant: str) -> Store:
        """Return this store as its database lets one tenant use it.

        On PostgreSQL with roles (`leasehold migrate --roles`) each of its operations is a
        transaction that sees this tenant's rows and no others; elsewhere it is the store itself.
        """

    def set_up_roles(self, prefix: str | None = None, *, dry_run: bool = False) -> tuple[str, ...]:
        """Make database roles that keep tenants apart, and all that belongs to them.

        Says what was changed: nothing when all stands. Without a prefix it is the one that they
        have, else `leasehold_`. `StoreRefused` where a database has no roles.
        """

    def check_role(self) -> None:
        """Raise `StoreRefused` when whoever has logged in here must not serve tenants.

        Only a database with roles refuses anybody: superusers, BYPASSRLS, owners of the tables.
        """
