"""The rows of `sync_task`: what a running task has counted, and what it is waiting for."""

from __future__ import annotations

from dataclasses import asdict, fields
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import bindparam, func, literal, select, update

from leasehold.kit.data import Moment
from leasehold_sync.data.tables import run, task
from leasehold_sync.model.counts import Counts

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold.kit.data import Bulk


_ADD = (
    update(task)
    .where(task.c.id == bindparam("task_id"))
    .values(
        {each.name: task.c[each.name] + bindparam(f"more_{each.name}") for each in fields(Counts)}
    )
    .values(pages=task.c.pages + 1)
    .returning(select(run.c.cancelled_at).where(run.c.id == task.c.run_id).scalar_subquery())
)


def begin(connection: Connection, task_id: UUID, now: datetime) -> str | None:
    """Note that it runs; returns why the source refuses all tasks of its run, if it does."""
    began = func.coalesce(task.c.started_at, literal(now, Moment))
    changed = {"started_at": began, "snooze_reason": None, "snoozed_until": None}
    connection.execute(update(task).where(task.c.id == task_id).values(changed))
    mine = select(task.c.run_id).where(task.c.id == task_id).scalar_subquery()
    found: str | None = connection.scalar(
        select(task.c.refused).where(task.c.run_id == mine, task.c.refused.is_not(None)).limit(1)
    )
    return found


def add(bulk: Bulk, task_id: UUID, counts: Counts) -> bool:
    """Count a page; returns whether the run was cancelled meanwhile."""
    more = {f"more_{name}": amount for name, amount in asdict(counts).items()}
    ((cancelled_at,),) = bulk.run(_ADD, {"task_id": str(task_id), **more})
    return cancelled_at is not None


def finish(
    connection: Connection, task_id: UUID, *, unchanged: int, deleted: int, note: str | None
) -> None:
    """Put right what was seen twice, and count what is gone."""
    changed = {"unchanged": unchanged, "deleted": task.c.deleted + deleted, "note": note}
    connection.execute(update(task).where(task.c.id == task_id).values(changed))


def snooze(connection: Connection, task_id: UUID, reason: str, until: datetime) -> None:
    changed = {"snooze_reason": reason, "snoozed_until": until}
    connection.execute(update(task).where(task.c.id == task_id).values(changed))


def refuse(connection: Connection, task_id: UUID, reason: str) -> None:
    """Let all tasks of the run know that the source lets none of them in."""
    connection.execute(update(task).where(task.c.id == task_id).values(refused=reason))


def forgive(connection: Connection, run_id: UUID) -> None:
    """Let them try again."""
    connection.execute(update(task).where(task.c.run_id == run_id).values(refused=None))


def is_forced(connection: Connection, run_id: UUID) -> bool:
    return bool(connection.scalar(select(run.c.force).where(run.c.id == run_id)))


def start_over(connection: Connection, task_id: UUID) -> None:
    """Count anew what is seen unchanged; what was written is not counted twice anyway."""
    connection.execute(update(task).where(task.c.id == task_id).values(unchanged=0))
