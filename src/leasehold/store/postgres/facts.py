"""Reads what is known of one job, for `why`, in one statement: one moment's truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.facts import (
    COUNT_LIMIT,
    LIVING_SECONDS,
    Facts,
    FleetFacts,
    Halt,
    LaneFacts,
    NeedsFacts,
)
from leasehold.model.lanes import shown_lane, tenant_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIELDS = frozenset(Facts.__struct_fields__)
# What the statement asks for beside the job.
BOUNDS = {"most": COUNT_LIMIT, "living_seconds": LIVING_SECONDS}


def to_facts(row: Mapping[str, Any]) -> Facts:
    """Read a row of facts.sql."""
    plain = {name: value for name, value in row.items() if name in _FIELDS - {"lane", "needs"}}
    return Facts(
        **plain,
        fleet=_fleet(row),
        lane=None if row["is_known"] is None else _lane(row),
        queue_pause=_queue_pause(row),
        needs=None if row["needs"] is None else msgspec.convert(row["needs"], NeedsFacts),
    )


def _fleet(row: Mapping[str, Any]) -> FleetFacts:
    return FleetFacts(
        alive=row["alive"],
        serving=row["serving"],
        knowing=row["knowing"],
        slots=int(row["slots"]),
        busy=int(row["busy"]),
        queues=tuple(row["queues"]),
    )


def _lane(row: Mapping[str, Any]) -> LaneFacts:
    halt = Halt(
        name=shown_lane(row["halted"] or ""),
        until=row["halted_until"],
        reason=row["halted_reason"],
        by=row["halted_by"],
        tenant=tenant_of(row["halted"] or ""),
        is_tenants_word=bool(row["halted_by_tenant"]),
    )
    return LaneFacts(
        key=shown_lane(row["lane"]),
        tenant=tenant_of(row["lane"]),
        is_known=row["is_known"],
        running=row["running"],
        room=row["room"],
        running_limit=row["running_limit"],
        per_worker=row["per_worker"],
        rate=row["rate"],
        burst=row["burst"],
        tokens=row["tokens"],
        pause=None if row["halted"] is None else halt,
        jobs=tuple(row["lane_jobs"]),
    )


def _queue_pause(row: Mapping[str, Any]) -> Halt | None:
    if not row["is_queue_paused"]:
        return None
    return Halt(
        name=row["queue"],
        until=row["queue_until"],
        reason=row["queue_reason"],
        by=row["queue_by"],
    )
