"""`client.quotas` for asyncio: the same verbs, awaited, in threads."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from leasehold.model.quotas import QuotaInfo
    from leasehold.quotas import Quotas


class AsyncQuotas:
    """Quotas of tenants; a tenant without any has no limits, and pays nothing."""

    def __init__(self, quotas: Quotas) -> None:
        self._quotas = quotas

    async def list(self) -> list[QuotaInfo]:
        """List the tenants that have quotas, and how far they are used up."""
        return await asyncio.to_thread(self._quotas.list)

    async def set(
        self,
        tenant: str,
        *,
        waiting: int | msgspec.UnsetType | None = msgspec.UNSET,
        running: int | msgspec.UnsetType | None = msgspec.UNSET,
        rate: str | float | msgspec.UnsetType | None = msgspec.UNSET,
        by: str | None = None,
    ) -> None:
        """Change quotas; what is not named stays, None takes one away."""
        given = {"waiting": waiting, "running": running, "rate": rate}
        await asyncio.to_thread(self._quotas.set, tenant, by=by, **given)  # type: ignore[arg-type]

    async def remove(self, tenant: str) -> bool:
        """Take all its quotas away; False when it had none."""
        return await asyncio.to_thread(self._quotas.remove, tenant)
