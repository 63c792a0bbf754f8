"""Sync jobs: `sync_run` with its tasks, read as the views show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    Text,
    bindparam,
    column,
    delete,
    exists,
    insert,
    select,
    table,
    update,
)

from leasehold.kit.data import Id, Moment
from leasehold_sync.data.tables import Document, app, run, task

if TYPE_CHECKING:
    from sqlalchemy import Connection

_TIMES = [column(name, Moment) for name in ("created_at", "started_at", "completed_at")]

# The views, as SQL Alchemy is to read them.
jobs = table(
    "sync_jobs",
    *(column("id", Id), column("app_key", Text), column("mode", Text)),
    *(column("resource_types", Document), column("status", Text)),
    *(column(name, BigInteger) for name in ("total_tasks", "completed_tasks", "failed_tasks")),
    column("processed_entities", BigInteger),
    *_TIMES,
    column("error_message", Text),
)
tasks = table(
    "sync_job_tasks",
    *(column("id", Id), column("job_id", Id), column("resource_type", Text)),
    *(column("status", Text), column("entity_count", BigInteger)),
    *(column(each.name, Moment) for each in _TIMES),
    column("error_message", Text),
    *(column(name, BigInteger) for name in ("created", "updated", "unchanged", "deleted")),
    *(column(name, BigInteger) for name in ("nameless", "pages")),
    *(column("note", Text), column("snooze_reason", Text), column("snoozed_until", Moment)),
)
ACTIVE = ("pending", "processing")


def lock_app(connection: Connection, app_key: str) -> None:
    """Let nobody else begin a sync of this app until the transaction ends."""
    connection.execute(select(app.c.app_key).where(app.c.app_key == app_key).with_for_update())


def active(connection: Connection, app_key: str) -> UUID | None:
    """Return the sync job of this app that has not ended."""
    current = connection.scalar(select(app.c.current_run).where(app.c.app_key == app_key))
    if current is None:
        return None
    found: UUID | None = connection.scalar(
        select(jobs.c.id).where(jobs.c.id == current, jobs.c.status.in_(ACTIVE))
    )
    return found


def create(
    connection: Connection,
    run_id: UUID,
    app_key: str,
    *,
    mode: str,
    force: bool,
    resources: Mapping[str, UUID],
    now: datetime,
) -> None:
    """Write down a sync job, with a task for each resource under its job's id."""
    row = {"id": run_id, "app_key": app_key, "mode": mode, "force": force, "created_at": now}
    connection.execute(insert(run), row)
    connection.execute(
        insert(task),
        [
            {"id": task_id, "run_id": run_id, "resource_type": name, "created_at": now}
            for name, task_id in resources.items()
        ],
    )
    take_over(connection, app_key, run_id)


def take_over(connection: Connection, app_key: str, run_id: UUID) -> None:
    """Make it the app's current one."""
    connection.execute(update(app).where(app.c.app_key == app_key).values(current_run=run_id))


def cancel(connection: Connection, run_id: UUID, now: datetime) -> None:
    """Let running tasks see it at their next page."""
    connection.execute(update(run).where(run.c.id == run_id).values(cancelled_at=now))


def get(connection: Connection, run_id: UUID) -> dict[str, Any] | None:
    """Read a job and its tasks as they stand."""
    found = connection.execute(select(jobs).where(jobs.c.id == run_id)).mappings().first()
    if found is None:
        return None
    members = select(tasks).where(tasks.c.job_id == run_id).order_by(tasks.c.id)
    listed = [dict(row) for row in connection.execute(members).mappings()]
    return {**found, "tasks": listed}


def statuses(connection: Connection, run_ids: list[UUID]) -> dict[UUID, str]:
    wanted = bindparam("wanted", run_ids, type_=Id, expanding=True)
    found = connection.execute(select(jobs.c.id, jobs.c.status).where(jobs.c.id.in_(wanted)))
    return {row.id: row.status for row in found}


def outdated(connection: Connection, before: Mapping[str, datetime], limit: int) -> list[UUID]:
    """List ended jobs, of each status those before a moment; never an app's newest."""
    newer = run.alias("newer")
    is_newest = ~exists().where(newer.c.app_key == run.c.app_key, newer.c.id > run.c.id)
    found: list[UUID] = []
    for status, moment in before.items():
        past = (
            select(jobs.c.id)
            .join(run, run.c.id == jobs.c.id)
            .where(run.c.created_at < moment, ~is_newest)
            .where(jobs.c.status == status, jobs.c.completed_at < moment)
            .order_by(run.c.id)
            .limit(limit - len(found))
        )
        found += connection.scalars(past)
    return found


def known(connection: Connection, run_ids: Sequence[UUID]) -> set[UUID]:
    """Say which of these are there."""
    wanted = bindparam("wanted", run_ids, type_=Id, expanding=True)
    return set(connection.scalars(select(run.c.id).where(run.c.id.in_(wanted))))


def task_ids(connection: Connection, run_id: UUID) -> list[UUID]:
    return list(connection.scalars(select(task.c.id).where(task.c.run_id == run_id)))


def forget(connection: Connection, run_id: UUID) -> None:
    connection.execute(delete(run).where(run.c.id == run_id))
