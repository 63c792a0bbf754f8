"""Lists, read by key: a page begins behind the last row of the one before, however far down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import Connection, Select


class Page(NamedTuple):
    """A part of a list, and behind which key the next one begins; None when this is the last."""

    rows: list[dict[str, Any]]
    next: Any = None


def page_of(connection: Connection, query: Select[Any], limit: int, *, key: str = "id") -> Page:
    """Read one row more than wanted, to know whether there are more."""
    rows = [dict(row) for row in connection.execute(query.limit(limit + 1)).mappings()]
    is_more = len(rows) > limit
    return Page(rows[:limit], rows[limit - 1][key] if is_more else None)
