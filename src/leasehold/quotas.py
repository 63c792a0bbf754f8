"""What tenants may have: `client.quotas.set("acme", waiting=10_000, rate="100/minute")`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.acting import recorded, who
from leasehold.checking import check_name
from leasehold.errors import BadOption
from leasehold.model.quotas import QuotaChange, check_tenant, read_count, read_rate
from leasehold.store.base import ANY_QUEUE

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.quotas import QuotaInfo
    from leasehold.store.base import Store


class Quotas:
    """Quotas of tenants; a tenant without any has no limits, and pays nothing."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    def list(self) -> list[QuotaInfo]:
        """List the tenants that have quotas, and how far they are used up."""
        return self._store().quotas()

    def set(
        self,
        tenant: str,
        *,
        waiting: int | msgspec.UnsetType | None = msgspec.UNSET,
        running: int | msgspec.UnsetType | None = msgspec.UNSET,
        rate: str | float | msgspec.UnsetType | None = msgspec.UNSET,
        by: str | None = None,
    ) -> None:
        """Change quotas; what is not named stays, None takes one away.

        `waiting` jobs that have not ended and do not run, and enqueues at a `rate` ("100/minute"):
        more are refused with `QuotaExceeded`. `running` at once, in all workers: more have to wait.
        """
        check_name("tenant", check_tenant(tenant))
        change: dict[str, Any] = {}
        if waiting is not msgspec.UNSET:
            change["waiting"] = read_count("waiting", waiting)
        if running is not msgspec.UNSET:
            change["running"] = read_count("running", running)
        if not isinstance(rate, msgspec.UnsetType):
            change["rate"], change["burst"] = read_rate(rate)
        if not change:
            raise BadOption(f"quota of {tenant!r}: say what is to change")
        said = {name: value for name, value in change.items() if name != "burst"}
        with recorded(self._store(), "quota.set", tenant, by=by, tenant=tenant, **said):
            self._store().set_quota(tenant, QuotaChange(**change, by=who(by)))
        self._store().notify({ANY_QUEUE: 1})

    def remove(self, tenant: str) -> bool:
        """Take all its quotas away; False when it had none."""
        check_name("tenant", check_tenant(tenant))
        with recorded(self._store(), "quota.remove", tenant, tenant=tenant) as doing:
            is_changed = self._store().remove_quota(tenant)
            doing.count = int(is_changed)
        self._store().notify({ANY_QUEUE: 1})
        return is_changed
