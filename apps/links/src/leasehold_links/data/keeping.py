"""What nobody needs any more goes, a step at a time; a step says how much went."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Column, Table, bindparam, delete, exists, select, text, tuple_

from leasehold.kit.data import Moment, queue_views
from leasehold_links.data.tables import canonical, evidence, import_item, link, robots, upload

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

STEP = 500
_ENDED = ("succeeded", "failed", "canceled")  # as `import_jobs` calls them


def drop_robots(connection: Connection, before: datetime) -> int:
    """Forget rules of sites that are too old to be used."""
    return _drop(connection, robots, [robots.c.origin], robots.c.fetched_at < before)


def drop_items(connection: Connection, before: datetime) -> int:
    """Forget why lines of old imports did not become links; the counts stay."""
    key = [import_item.c.import_id, import_item.c.number]
    return _drop(connection, import_item, key, import_item.c.created_at < before)


def drop_uploads(connection: Connection) -> int:
    """Forget the file of one import that has ended."""
    found = text(
        "SELECT import_id FROM links_upload WHERE import_id IN"
        " (SELECT id FROM import_jobs WHERE status IN (:one, :two, :three)) LIMIT 1"
    ).bindparams(one=_ENDED[0], two=_ENDED[1], three=_ENDED[2])
    import_id = connection.scalar(found.columns(upload.c.import_id))
    if import_id is None:
        return 0
    return connection.execute(delete(upload).where(upload.c.import_id == import_id)).rowcount


def drop_canonicals(connection: Connection) -> list[UUID | None]:
    """Forget addresses that stand in nobody's folder; returns their jobs, which are to go, too."""
    ids = _lock(connection, select(canonical.c.id).where(_is_unplaced()).limit(STEP))
    if not ids:
        return []
    # Looked at again: somebody may have placed one while we waited for its lock.
    gone = connection.execute(
        delete(canonical)
        .where(canonical.c.id.in_(ids), _is_unplaced())
        .returning(canonical.c.id, canonical.c.job_id)
    ).all()
    connection.execute(
        delete(evidence).where(evidence.c.canonical_id.in_([row[0] for row in gone]))
    )
    return [row[1] for row in gone]


def find_superseded(connection: Connection, before: datetime) -> list[UUID]:
    """Name ended enrichments that another one has taken the place of, or whose link is gone."""
    jobs = queue_views(connection)["jobs"]
    found = text(
        f"SELECT j.id FROM {jobs} AS j"  # noqa: S608  # nosec B608 - our own names
        " WHERE j.type = 'links.enrich' AND j.status IN ('succeeded', 'dead', 'cancelled')"
        " AND j.finished_at < :before"
        " AND NOT EXISTS (SELECT 1 FROM links_canonical AS c WHERE c.job_id = j.id)"
        f" LIMIT {STEP}"
    )
    typed = found.bindparams(bindparam("before", before, Moment)).columns(canonical.c.id)
    return list(connection.scalars(typed))


def _is_unplaced() -> Any:
    return ~exists().where(link.c.canonical_id == canonical.c.id)


def _drop(connection: Connection, table: Table, key: list[Column[Any]], is_old: Any) -> int:
    old = select(*key).where(is_old).limit(STEP)
    return connection.execute(delete(table).where(tuple_(*key).in_(old))).rowcount


def _lock(connection: Connection, query: Select[Any]) -> list[Any]:
    """Lock rows that nobody has locked; SQLite has one lock, and it is ours."""
    return list(connection.scalars(query.with_for_update(skip_locked=True, of=canonical)))
