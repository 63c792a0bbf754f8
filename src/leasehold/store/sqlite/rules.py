"""What people say of throttles, shares and queues at run time; effective from the next claim on."""

from __future__ import annotations

import sqlite3
from typing import Any

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Pause, QueueInfo, RuleChange, ShareInfo, ThrottleInfo
from leasehold.model.values import Held
from leasehold.store.sqlite.keys import read_tokens
from leasehold.store.sqlite.statements import as_json, count, rows, value
from leasehold.store.sqlite.times import FOREVER, later, to_datetime_or_none
from leasehold.store.told_throttles import SaidRow, tell_throttles

_SOMEBODY = "somebody"


# -- throttles -------------------------------------------------------------------------------------
def throttles(connection: sqlite3.Connection, tenant: str | None, now: int) -> list[ThrottleInfo]:
    found = rows(connection, "throttles", tenant=tenant, now=now)
    tokens = read_tokens(connection, {row[0] for row in found}, now)
    said = (
        SaidRow(
            name=name,
            tenant=said_by,
            running_limit=running_limit,
            per_worker=per_worker,
            rate=rate,
            burst=burst,
            tokens=tokens.get(lane),
            paused_until=to_datetime_or_none(paused_until),
            pause_reason=reason,
            paused_by=paused_by,
            set_by=set_by,
            running=running,
            waiting=waiting,
        )
        for (
            lane,
            name,
            said_by,
            running_limit,
            per_worker,
            rate,
            burst,
            paused_until,
            reason,
            paused_by,
            set_by,
            running,
            waiting,
        ) in found
    )
    return tell_throttles(said, tenant)


def change_throttle(
    connection: sqlite3.Connection, name: str, change: RuleChange, tenant: str, now: int
) -> None:
    rows(
        connection,
        "change_throttle",
        name=name,
        tenant=tenant,
        change=as_json(change),
        by=change.by or _SOMEBODY,
        now=now,
    )


def reset_throttle(connection: sqlite3.Connection, name: str, tenant: str, now: int) -> bool:
    if ":" not in name:
        return count(connection, "reset_rule", name=name, tenant=tenant, now=now) > 0
    is_changed = count(connection, "reset_key", name=name, tenant=tenant, now=now) > 0
    rows(connection, "forget_key", name=name, tenant=tenant, now=now)
    return is_changed


def pause_throttle(
    connection: sqlite3.Connection, name: str, pause: Pause, tenant: str, now: int
) -> None:
    rows(connection, "pause_throttle", name=name, tenant=tenant, **_described(pause, now))


def pause_lane(
    connection: sqlite3.Connection, worker: WorkerId, lease: Held, pause: Pause, now: int
) -> bool:
    named = {"id": str(lease.job_id), "fence": lease.fence, "worker": worker}
    return count(connection, "pause_lane", **named, **_described(pause, now)) > 0


def hold_slot(connection: sqlite3.Connection, worker: WorkerId, lease: Held) -> bool:
    named = {"id": str(lease.job_id), "fence": lease.fence, "worker": worker}
    return count(connection, "hold_slot", **named) > 0


def resume_throttle(connection: sqlite3.Connection, name: str, tenant: str, now: int) -> bool:
    return count(connection, "resume_throttle", name=name, tenant=tenant, now=now) > 0


def refill_throttle(connection: sqlite3.Connection, name: str, now: int) -> bool:
    """Forget what its attempts owe, too."""
    owed = count(connection, "charge_fold", lane=name)
    return count(connection, "refill_throttle", lane=name, now=now) + owed > 0


# -- shares ----------------------------------------------------------------------------------------
def shares(connection: sqlite3.Connection) -> list[ShareInfo]:
    return [
        ShareInfo(name=name, weight=weight, waiting=waiting, set_by=set_by)
        for name, weight, waiting, set_by in rows(connection, "shares")
    ]


def change_share(
    connection: sqlite3.Connection, name: str, weight: int, by: str | None, now: int
) -> None:
    rows(connection, "change_share", name=name, weight=weight, by=by or _SOMEBODY, now=now)


# -- queues ----------------------------------------------------------------------------------------
def queues(connection: sqlite3.Connection, now: int) -> list[QueueInfo]:
    return [
        QueueInfo(
            name=name,
            paused_until=to_datetime_or_none(paused_until),
            pause_reason=reason,
            paused_by=paused_by,
            aging_seconds=aging_seconds,
            running_limit=running_limit,
            limited_by=limited_by,
            running=running,
        )
        for (
            name,
            paused_until,
            reason,
            paused_by,
            aging_seconds,
            running_limit,
            limited_by,
            running,
        ) in rows(connection, "queues", now=now)
    ]


def pause_queue(connection: sqlite3.Connection, name: str, pause: Pause, now: int) -> None:
    rows(connection, "pause_queue", name=name, **_described(pause, now))


def resume_queue(connection: sqlite3.Connection, name: str, now: int) -> bool:
    return count(connection, "resume_queue", name=name, now=now) > 0


def limit_queue(
    connection: sqlite3.Connection, name: str, running: int | None, by: str | None, now: int
) -> bool:
    was_limited = value(connection, "gate_room", queue=name) is not None
    who = None if running is None else by or _SOMEBODY
    rows(connection, "limit_queue", name=name, running=running, by=who, now=now)
    if running is not None and not was_limited:
        rows(connection, "mark_gate", name=name)
    return was_limited


def set_aging(
    connection: sqlite3.Connection, name: str, aging_seconds: float | None, now: int
) -> None:
    rows(connection, "set_aging", name=name, aging_seconds=aging_seconds, now=now)


def _described(pause: Pause, now: int) -> dict[str, Any]:
    is_endless = pause.until is None and pause.seconds is None
    until = FOREVER if is_endless else min(FOREVER, later(now, pause.seconds, pause.until))
    return {"until": until, "reason": pause.reason, "by": pause.by, "now": now}
