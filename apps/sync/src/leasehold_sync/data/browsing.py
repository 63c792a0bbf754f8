"""What pages read: apps with their last sync, the syncs of one, entities by page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import Text, column, func, select, table, true, tuple_

from leasehold.kit.data import Id, Moment, Page, page_of
from leasehold_sync.data.tables import app, entity, run, state, task

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import ColumnElement, Connection

Row = dict[str, Any]
_SEPARATOR = "\x1f"  # no id has it: between a collection and an id in a cursor

jobs = table(
    "sync_jobs",
    column("id", Id),
    column("status", Text),
    column("mode", Text),
    column("total_tasks"),
    column("completed_tasks"),
    column("processed_entities"),
    column("created_at", Moment),
)


class Wanted(NamedTuple):
    """Which entities; what is empty does not matter."""

    app_key: str
    collection_key: str = ""
    external_id: str = ""
    with_deleted: bool = False


def apps(connection: Connection) -> list[Row]:
    """Read all apps, each with its newest sync and since when its data is what it is."""
    rows = _rows(connection, select(app).order_by(app.c.app_key))
    newest = {each["current_run"] for each in rows if each["current_run"] is not None}
    found = {each["id"]: each["status"] for each in _jobs(connection, list(newest))}
    moments = _synced(connection)
    return [
        each
        | {
            "job_id": each["current_run"] if each["current_run"] in found else None,
            "status": found.get(each["current_run"]),
            "synced_at": moments.get(each["app_key"]),
        }
        for each in rows
    ]


def synced_at(connection: Connection, app_key: str) -> datetime | None:
    """Return when something of an app was synced to its end last."""
    return _synced(connection).get(app_key)


def jobs_of(connection: Connection, app_key: str, *, before: UUID | None, limit: int) -> Page:
    """Read the syncs of an app, newest first."""
    query = select(run.c.id).where(run.c.app_key == app_key).order_by(run.c.id.desc())
    page = page_of(connection, query if before is None else query.where(run.c.id < before), limit)
    ids = [each["id"] for each in page.rows]
    return Page(
        sorted(_jobs(connection, ids), key=lambda each: each["id"], reverse=True), page.next
    )


def expected_counts(connection: Connection, job_id: UUID) -> dict[str, int]:
    """Return how many entities each resource had in the last whole scan before this one."""
    this = select(run.c.app_key, run.c.mode).where(run.c.id == job_id)
    found = connection.execute(this).one_or_none()
    if found is None or found.mode != "full":
        return {}
    earlier = (run.c.app_key == found.app_key) & (run.c.id < job_id) & (run.c.mode == "full")
    newest = select(run.c.id).where(earlier).order_by(run.c.id.desc()).limit(1)
    before: UUID | None = connection.scalar(newest)
    if before is None or [each["status"] for each in _jobs(connection, [before])] != ["completed"]:
        return {}
    counted = (task.c.created + task.c.updated + task.c.unchanged).label("counted")
    query = select(task.c.resource_type, counted).where(task.c.run_id == before)
    return {each.resource_type: each.counted for each in connection.execute(query)}


def collections_of(connection: Connection, app_key: str) -> list[Row]:
    """Count what is stored of an app, by collection."""
    query = (
        select(entity.c.collection_key, func.count().label("entities"))
        .where(entity.c.app_key == app_key, entity.c.deleted_at.is_(None))
        .group_by(entity.c.collection_key)
        .order_by(entity.c.collection_key)
    )
    return _rows(connection, query)


def entities(connection: Connection, wanted: Wanted, *, after: str, limit: int) -> Page:
    """Read entities in the order of the index that finds them."""
    place = tuple_(entity.c.collection_key, entity.c.external_id)
    query = (
        select(
            entity.c.collection_key,
            entity.c.external_id,
            entity.c.as_of,
            entity.c.deleted_at,
            (entity.c.collection_key + _SEPARATOR + entity.c.external_id).label("place"),
        )
        .where(entity.c.app_key == wanted.app_key, _fits(wanted))
        .order_by(entity.c.collection_key, entity.c.external_id)
    )
    collection, _, last = after.partition(_SEPARATOR)
    if last:
        query = query.where(place > tuple_(collection, last))
    return page_of(connection, query, limit, key="place")


def entity_of(connection: Connection, app_key: str, collection: str, identifier: str) -> Row | None:
    """Read one entity whole."""
    query = select(entity).where(
        entity.c.app_key == app_key,
        entity.c.collection_key == collection,
        entity.c.external_id == identifier,
    )
    return next(iter(_rows(connection, query)), None)


def _fits(wanted: Wanted) -> ColumnElement[bool]:
    fits: ColumnElement[bool] = true() if wanted.with_deleted else entity.c.deleted_at.is_(None)
    if wanted.collection_key:
        fits &= entity.c.collection_key == wanted.collection_key
    if wanted.external_id:
        fits &= entity.c.external_id == wanted.external_id
    return fits


def _synced(connection: Connection) -> dict[str, datetime]:
    newest = func.max(state.c.updated_at, type_=Moment).label("newest")
    query = select(state.c.app_key, newest).group_by(state.c.app_key)
    return {each.app_key: each.newest for each in connection.execute(query)}


def _jobs(connection: Connection, ids: list[UUID]) -> list[Row]:
    return _rows(connection, select(jobs).where(jobs.c.id.in_(ids))) if ids else []


def _rows(connection: Connection, query: Any) -> list[Row]:
    return [dict(each) for each in connection.execute(query).mappings()]
