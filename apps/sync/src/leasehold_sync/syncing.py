"""What people do with sync jobs: begin, look, cancel, retry. One active job for each app."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from leasehold_sync import apps
from leasehold_sync.data import runs, tasks
from leasehold_sync.errors import AppBusy, JobEnded, NothingToRetry, SyncNotFound
from leasehold_sync.running.task import sync_resource

if TYPE_CHECKING:
    import leasehold as lh
    from leasehold.kit.data import Database
    from leasehold_sync.model.apps import App

MODES = ("full", "incremental")


class Started(NamedTuple):
    """The job that syncs the app now; `deduplicated` when it was under way already."""

    job_id: UUID
    deduplicated: bool


def resources_of(app: App) -> tuple[str, ...]:
    """Name what can be synced of an app."""
    return tuple(apps.resources_of(app))


def start(
    client: lh.Client,
    database: Database,
    app_key: str,
    *,
    mode: str = "incremental",
    resource_types: Sequence[str] | None = None,
    force: bool = False,
    created_by: str | None = None,
) -> Started:
    """Begin a sync with a task for each resource, or join the one that is under way."""
    wanted = apps.choose(apps.get(database, app_key), resource_types)
    with database.browse() as connection:
        active = runs.active(connection, app_key)
    if active is not None:
        return Started(active, deduplicated=True)
    meta = {"app_key": app_key, "mode": mode, "resource_types": wanted, "force": force}
    batch = client.batches.create(name=f"sync {app_key}", meta=meta, created_by=created_by)
    active = _fill(client, database, batch, app_key, mode=mode, wanted=wanted, force=force)
    if active is not None:
        batch.cancel(by="another sync of the app was quicker")
        return Started(active, deduplicated=True)
    batch.seal()
    return Started(batch.id, deduplicated=False)


def _fill(
    client: lh.Client,
    database: Database,
    batch: lh.Batch,
    app_key: str,
    *,
    mode: str,
    wanted: Sequence[str],
    force: bool,
) -> UUID | None:
    """Add the tasks, unless somebody was quicker: then returns whose job stands."""
    resources = dict(zip(wanted, client.ids.take(len(wanted)), strict=True))
    with database.write_session() as session:
        connection = session.connection()
        runs.lock_app(connection, app_key)
        active = runs.active(connection, app_key)
        if active is not None:
            return active
        now = datetime.now(UTC)
        runs.create(
            connection, batch.id, app_key, mode=mode, force=force, resources=resources, now=now
        )
        members = batch.on(session)
        for name, task_id in resources.items():
            members.add(sync_resource.with_options(id=task_id), app_key, name, mode)
    return None


def status(client: lh.Client, database: Database, job_id: UUID) -> dict[str, Any]:  # noqa: ARG001
    """Return a job as it stands: the seed's columns, `progress` in percent, and `tasks`."""
    with database.browse() as connection:
        found = runs.get(connection, job_id)
    if found is None:
        raise SyncNotFound(job_id)
    total, done = found["total_tasks"], found["completed_tasks"]
    return {**found, "progress": round(100 * done / total, 1) if total else 0.0}


def cancel(client: lh.Client, database: Database, job_id: UUID) -> None:
    """Cancel what waits at once, what runs at its next page; a cancelled job stays as it is."""
    before = status(client, database, job_id)["status"]
    if before == "cancelled":
        return
    if before in runs.ACTIVE:
        with database.write() as connection:
            runs.cancel(connection, job_id, datetime.now(UTC))
        client.batches.cancel(job_id)
        before = status(client, database, job_id)["status"]  # it may have ended meanwhile
    if before != "cancelled":
        raise JobEnded(job_id, before)


def retry(client: lh.Client, database: Database, job_id: UUID) -> int:
    """Run failed tasks anew, from their cursors; returns how many."""
    found = status(client, database, job_id)
    failed: int = found["failed_tasks"]
    if not failed or found["status"] == "cancelled":
        raise NothingToRetry(job_id)
    app_key = found["app_key"]
    with database.write() as connection:
        runs.lock_app(connection, app_key)
        active = runs.active(connection, app_key)
        if active not in {None, job_id}:
            raise AppBusy(app_key, active)
        runs.take_over(connection, app_key, job_id)
        tasks.forgive(connection, job_id)
    client.batches.retry_failed(job_id)
    return failed
