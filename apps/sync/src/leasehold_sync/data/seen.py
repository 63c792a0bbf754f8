"""What scans saw unchanged, a page in a row, and what follows from it at their end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import msgspec
from sqlalchemy import bindparam, delete, exists, text

from leasehold.kit.data import Id, Moment, moment_text
from leasehold_sync.data.tables import seen, task

if TYPE_CHECKING:
    from sqlalchemy import Connection, TextClause

    from leasehold.kit.data import Bulk

_MARK = text(
    "INSERT INTO sync_seen (scan_id, page, numbers, created_at)"
    " VALUES (:scan_id, :page, :numbers, :created_at) RETURNING page"
)
# The numbers of a scan, each once.
_MARKED = {
    "sqlite": """
      SELECT DISTINCT each.value AS number
      FROM sync_seen, json_each(numbers) AS each
      WHERE scan_id = :scan_id
    """,
    "postgresql": """
      SELECT DISTINCT each.value::bigint AS number
      FROM sync_seen, json_array_elements_text(numbers) AS each
      WHERE scan_id = :scan_id
    """,
}
# Of a long list in NOT IN PostgreSQL makes no hash: it looks through it for each row. SQLite does.
_UNSEEN = {
    "sqlite": "number NOT IN ({marked})",
    "postgresql": """
      NOT EXISTS (SELECT FROM ({marked}) AS marked WHERE marked.number = entities.number)
    """,
}
_LIVE = """
  app_key = :app_key
  AND collection_key IN :collections
  AND deleted_at IS NULL
  AND (:sync_from IS NULL OR source_created_at >= :sync_from)
"""
# One look at everything that is there, by an index: it may be a million rows. SQLite makes an index
# of what was seen for IN, not for a join; PostgreSQL a hash for a join only.
_SEEN = {
    "sqlite": "SELECT *, number IN ({marked}) AS is_seen FROM entities",
    "postgresql": """
      SELECT entities.*, marked.number IS NOT NULL AS is_seen
      FROM entities
      LEFT JOIN ({marked}) AS marked ON marked.number = entities.number
    """,
}
_COMPARE = """
SELECT
  count(*),
  count(*) FILTER (WHERE last_seen_run < :run_id AND NOT is_seen),
  count(*) FILTER (WHERE last_seen_run <> :run_id AND is_seen)
FROM ({seen}) AS entities
WHERE {live}
"""
_COUNT_UNCHANGED = """
SELECT count(*)
FROM ({marked}) AS marked
JOIN entities ON entities.number = marked.number
WHERE entities.last_seen_run <> :run_id AND entities.deleted_at IS NULL
"""
_DELETE = """
UPDATE entities
SET deleted_at = :now, updated_at = :now, last_seen_run = :run_id
WHERE {live}
  AND last_seen_run < :run_id
  AND {unseen}
"""


class Compared(NamedTuple):
    """What is there, beside what a complete scan saw of it."""

    live: int
    gone: int
    unchanged: int


class Among(NamedTuple):
    """The rows that a complete scan has seen whole."""

    app_key: str
    collections: Sequence[str]
    sync_from: datetime | None


def mark(bulk: Bulk, scan_id: UUID, page: int, numbers: Sequence[int], now: datetime) -> None:
    """Remember which rows a page has shown unchanged."""
    if numbers:
        told = msgspec.json.encode(numbers).decode()
        made = {"scan_id": str(scan_id), "page": page, "created_at": moment_text(now)}
        bulk.run(_MARK, {**made, "numbers": told})


def forget(connection: Connection, scan_id: UUID) -> None:
    connection.execute(delete(seen).where(seen.c.scan_id == scan_id))


def count_unchanged(connection: Connection, scan_id: UUID, run_id: UUID) -> int:
    """Count the rows that were seen and never written by this run, however often they were seen."""
    found = connection.execute(
        _prepared(connection, _COUNT_UNCHANGED), {"scan_id": scan_id, "run_id": run_id}
    )
    return int(found.scalar_one())


def compare(connection: Connection, scan_id: UUID, run_id: UUID, among: Among) -> Compared:
    """Count what is there, what of it the scan did not see, and what it saw unchanged."""
    given = {**_given(among), "scan_id": scan_id, "run_id": run_id}
    return Compared(*connection.execute(_prepared(connection, _COMPARE), given).one())


def delete_unseen(
    connection: Connection, scan_id: UUID, run_id: UUID, among: Among, now: datetime
) -> int:
    """Mark as deleted what neither this run has written nor its scan has seen."""
    given = {**_given(among), "scan_id": scan_id, "run_id": run_id, "now": now}
    return connection.execute(_prepared(connection, _DELETE), given).rowcount


def _given(among: Among) -> dict[str, Any]:
    return {**among._asdict(), "collections": list(among.collections)}


def join_by_hash(connection: Connection) -> None:
    """Let PostgreSQL hash what was seen, for the rest of the transaction.

    The rows were just written and nobody has counted them: it would take them for a few, and look
    through all of them for each entity.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SET LOCAL enable_nestloop = off"))
        connection.execute(text("SET LOCAL jit = off"))


_TYPES: dict[str, Any] = {"scan_id": Id, "run_id": Id, "sync_from": Moment, "now": Moment}


def _prepared(connection: Connection, statement: str) -> TextClause:
    """Put in how this database reads JSON, and the types of what is given."""
    name = connection.dialect.name
    marked = _MARKED[name]
    seen_so, unseen = (each[name].format(marked=marked) for each in (_SEEN, _UNSEEN))
    sql = statement.format(live=_LIVE, marked=marked, seen=seen_so, unseen=unseen)
    given = [bindparam(name, type_=kind) for name, kind in _TYPES.items() if f":{name}" in sql]
    if ":collections" in sql:
        given.append(bindparam("collections", expanding=True))
    return text(sql).bindparams(*given)


def sweep(connection: Connection, before: datetime) -> int:
    """Forget what scans saw that nobody will finish: of jobs that are gone, of requests cut off."""
    is_known = exists().where(task.c.id == seen.c.scan_id)
    return connection.execute(delete(seen).where(seen.c.created_at < before, ~is_known)).rowcount
