"""The throttles that one tenant has for itself: it sees them, and may make them stricter."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from leasehold.errors import ForeignTenant, NotForTenants, StoreRefused
from leasehold.model.lanes import tenant_of

if TYPE_CHECKING:
    from leasehold.model.lanes import Pause, RuleChange, ThrottleInfo
    from leasehold.store.base import Store
    from leasehold.store.tenants.stamping import Stamp


class TenantThrottles:
    """What a tenant says is written under its name, beside what operators say, never over it."""

    _stamp: Stamp

    @property
    def _inner(self) -> Store:
        raise NotImplementedError

    @property
    def _whole(self) -> Store:
        raise NotImplementedError

    def throttles(self, *, tenant: str | None = None) -> list[ThrottleInfo]:
        """Read for the tenant alone, but as operators do: their limits are no rows of tenants'."""
        own = self._stamp.check(tenant)
        try:
            found = self._whole.throttles(tenant=own)
        except StoreRefused as error:  # this database user may not
            raise NotForTenants("throttles") from error
        return [each for each in found if each.tenant == own]

    def change_throttle(self, name: str, change: RuleChange, *, tenant: str = "") -> None:
        self._check(name, tenant)
        said = (change.per_worker, change.rate, change.burst)
        if any(limit is not msgspec.UNSET for limit in said):
            raise NotForTenants("per_worker, rate and burst of a throttle")
        self._inner.change_throttle(name, change, tenant=self._stamp.tenant)

    def reset_throttle(self, name: str, *, tenant: str = "") -> bool:
        self._check(name, tenant)
        return self._inner.reset_throttle(name, tenant=self._stamp.tenant)

    def pause_throttle(self, name: str, pause: Pause, *, tenant: str = "") -> None:
        self._check(name, tenant)
        self._inner.pause_throttle(name, pause, tenant=self._stamp.tenant)

    def resume_throttle(self, name: str, *, tenant: str = "") -> bool:
        self._check(name, tenant)
        return self._inner.resume_throttle(name, tenant=self._stamp.tenant)

    def _check(self, name: str, tenant: str) -> None:
        self._stamp.check(tenant)
        whose = tenant_of(name)
        if whose is None:
            raise NotForTenants(f"throttle {name!r}")
        if whose != self._stamp.tenant:
            raise ForeignTenant(self._stamp.tenant, whose)
