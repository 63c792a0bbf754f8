"""What a tenant may not have, and what is not a tenant's to do."""

from __future__ import annotations

from leasehold.errors.root import LeaseholdError


class QuotaExceeded(LeaseholdError):
    """A tenant's quota does not allow these jobs; nothing was written.

    `quota` is "waiting" or "rate", `limit` what it allows (of a rate: at once), `retry_after` in
    how many seconds they would be allowed, None when that depends on how fast jobs end.
    """

    def __init__(
        self, tenant: str, quota: str, limit: float, *, retry_after: float | None = None
    ) -> None:
        self.tenant = tenant
        self.quota = quota
        self.limit = limit
        self.retry_after = retry_after
        if quota == "waiting":
            said = f"may have {limit:,g} jobs waiting: enqueue them when some have run"
        else:
            said = f"has used up its rate: try again in {retry_after or 0:.3g} s"
        super().__init__(f"tenant {tenant!r} {said}, or raise the quota")


class NotForTenants(LeaseholdError):
    """A client that is one tenant's may not do this: it concerns others, too."""

    def __init__(self, operation: str) -> None:
        super().__init__(
            f"{operation}: not for a client of one tenant, since it concerns all of them; "
            "use a client without for_tenant"
        )
        self.operation = operation


class ForeignTenant(LeaseholdError):
    """A client that is one tenant's was asked to act for another one."""

    def __init__(self, tenant: str, asked: str) -> None:
        super().__init__(f"this client acts for tenant {tenant!r}, not for {asked!r}")
        self.tenant = tenant
        self.asked = asked
