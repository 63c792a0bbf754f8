"""What people are told of throttles, of the rows that each store reads."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from leasehold.model.lanes import OWN, ThrottleInfo, own_lane, shown_lane, tenant_of


class SaidRow(NamedTuple):
    """The columns of throttles.sql: what operators and code say of a throttle, or a tenant does."""

    name: str
    tenant: str  # who says so; "": operators or code
    running_limit: int | None
    per_worker: int | None
    rate: float | None
    burst: float | None
    tokens: float | None
    paused_until: datetime | None
    pause_reason: str | None
    paused_by: str | None
    set_by: str | None
    running: int
    waiting: int


def tell_throttles(found: Iterable[SaidRow], tenant: str | None) -> list[ThrottleInfo]:
    """Put together what is said of each, by name; to a tenant, a rule is what it has of it."""
    by_lane: dict[str, list[SaidRow]] = {}
    for row in found:
        # To a tenant, which of the operators it was is their business.
        is_unsigned = tenant is not None and not row.tenant
        shown = row._replace(set_by=None, paused_by=None) if is_unsigned else row
        by_lane.setdefault(_lane_of(row.name, tenant), []).append(shown)
    told = [_tell(lane, said) for lane, said in by_lane.items()]
    return sorted(told, key=lambda each: (each.name, each.tenant or ""))


def _lane_of(name: str, tenant: str | None) -> str:
    is_rule = name.startswith(OWN) and ":" not in name
    return name if tenant is None or not is_rule else own_lane(name, tenant)


def _tell(lane: str, said: list[SaidRow]) -> ThrottleInfo:
    """Operators' closer words go before their rule's; a tenant's own stand beside them."""
    by_operators = sorted((row for row in said if not row.tenant), key=lambda row: -len(row.name))
    by_tenant = [row for row in said if row.tenant]
    pause = max(said, key=lambda row: (row.paused_until is not None, row.paused_until or _NEVER))
    rated = next((row for row in by_operators if row.rate is not None), None)
    return ThrottleInfo(
        name=shown_lane(lane),
        running_limit=_first(row.running_limit for row in by_operators),
        per_worker=_first(row.per_worker for row in by_operators),
        rate=None if rated is None else rated.rate,
        burst=None if rated is None else rated.burst,
        tokens=said[0].tokens,
        paused_until=pause.paused_until,
        pause_reason=pause.pause_reason,
        paused_by=pause.paused_by,
        set_by=next((row.set_by for row in (*by_operators, *by_tenant) if row.set_by), None),
        running=said[0].running,
        waiting=said[0].waiting,
        tenant=tenant_of(lane),
        tenant_limit=_first(row.running_limit for row in by_tenant),
    )


_NEVER = datetime.min.replace(tzinfo=UTC)


def _first(limits: Iterable[int | None]) -> int | None:
    return next((limit for limit in limits if limit is not None), None)
