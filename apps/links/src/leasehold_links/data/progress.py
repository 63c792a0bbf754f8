"""How imports stand: counts of the import, state of its job, and the lines that are no links."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import select

from leasehold.kit.data import Page, page_of
from leasehold_links.data.browsing import Row
from leasehold_links.data.seen import import_jobs
from leasehold_links.data.tables import import_, import_item

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select

_PARTS = ("imported_items", "duplicate_items", "skipped_items")


def _imports(user_id: str) -> Select[Any]:
    seen, counted = import_jobs.c, import_.c
    return (
        select(import_jobs, counted.file_name, counted.file_bytes, *(counted[n] for n in _PARTS))
        .join(import_, counted.id == seen.id)
        # On the table, whose index this is; the view's column would not be looked up by it.
        .where(counted.user_id == user_id)
    )


def imports_of(connection: Connection, user_id: str, *, before: UUID | None, limit: int) -> Page:
    """Read a page of somebody's imports, newest first."""
    query = _imports(user_id).order_by(import_.c.id.desc())
    if before is not None:
        query = query.where(import_.c.id < before)
    return page_of(connection, query, limit)


def import_of(connection: Connection, user_id: str, import_id: UUID) -> Row | None:
    """Return an import; None when it is nobody's or somebody else's."""
    row = connection.execute(_imports(user_id).where(import_.c.id == import_id)).mappings().first()
    return None if row is None else dict(row)


def items_of(connection: Connection, import_id: UUID, *, after: int | None, limit: int) -> Page:
    """Read a page of the lines that did not become links."""
    columns = import_item.c
    query = (
        select(columns.number, columns.outcome, columns.reason, columns.url, columns.title)
        .where(columns.import_id == import_id)
        .order_by(columns.number)
    )
    if after is not None:
        query = query.where(columns.number > after)
    return page_of(connection, query, limit, key="number")
