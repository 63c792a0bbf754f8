"""What tenants may have: a row for each. Enqueue and claim keep to it by themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.quotas import QuotaInfo
from leasehold.store.sql import load

if TYPE_CHECKING:
    from datetime import timedelta

    from leasehold.model.quotas import QuotaChange

PACKAGE = "leasehold.store.postgres"
_SOMEBODY = "somebody"

_encode = msgspec.json.Encoder().encode


class Quotas:
    """The part of the store that people set quotas with."""

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def quotas(self) -> list[QuotaInfo]:
        found = self._run(load(PACKAGE, "quotas"), skew=self._skew)
        names = QuotaInfo.__struct_fields__
        return [QuotaInfo(**dict(zip(names, row, strict=True))) for row in found]

    def set_quota(self, tenant: str, change: QuotaChange) -> None:
        given = {"change": _encode(change).decode(), "by": change.by or _SOMEBODY}
        self._run(load(PACKAGE, "set_quota"), tenant=tenant, skew=self._skew, **given)

    def remove_quota(self, tenant: str) -> bool:
        return bool(self._run(load(PACKAGE, "remove_quota"), tenant=tenant))
