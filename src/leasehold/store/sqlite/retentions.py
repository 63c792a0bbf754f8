"""How long ended jobs are kept: what people and tasks say."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from leasehold.model.keeping import Keep, Retention, Scope
from leasehold.model.values import TaskPolicy
from leasehold.store.sqlite.statements import as_json, count, rows

_SOMEBODY = "somebody"


def listed(connection: sqlite3.Connection) -> list[Retention]:
    return [
        Retention(
            scope=Scope(scope),
            name=name,
            keep=Keep(succeeded=succeeded, dead=dead, cancelled=cancelled),
            set_by=set_by,
        )
        for scope, name, succeeded, dead, cancelled, set_by in rows(connection, "retentions")
    ]


def set_one(
    connection: sqlite3.Connection,
    scope: Scope,
    name: str,
    keep: Keep,
    *,
    by: str | None,
    now: int,
) -> None:
    rows(
        connection,
        "set_retention",
        scope=scope.value,
        name=name,
        succeeded=keep.succeeded,
        dead=keep.dead,
        cancelled=keep.cancelled,
        by=by or _SOMEBODY,
        now=now,
    )


def reset(connection: sqlite3.Connection, scope: Scope, name: str) -> bool:
    named = {"scope": scope.value, "name": name}
    forgotten = count(connection, "reset_retention", **named)
    return forgotten + count(connection, "reset_retention_task", **named) > 0


def register(connection: sqlite3.Connection, tasks: Sequence[TaskPolicy], now: int) -> None:
    """Write down what tasks declare; what somebody has set at run time stays."""
    declared = as_json(tasks)
    rows(connection, "forget_retention", tasks=declared)
    rows(connection, "register_retention", tasks=declared, now=now)
