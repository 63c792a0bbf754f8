"""What a store can do for the quotas of tenants."""

from __future__ import annotations

from typing import Protocol

from leasehold.model.quotas import QuotaChange, QuotaInfo


class QuotaStore(Protocol):
    """Enqueues and claims keep to them by themselves, from the next one on."""

    def quotas(self) -> list[QuotaInfo]:
        """List the tenants that have quotas, and how far they are used up."""

    def set_quota(self, tenant: str, change: QuotaChange) -> None:
        """Change the quotas of a tenant that are named; what is there already stays."""

    def remove_quota(self, tenant: str) -> bool:
        """Take all its quotas away; False when it had none."""
