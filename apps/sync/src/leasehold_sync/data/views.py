"""`sync_jobs` and `sync_job_tasks`, as the seed names them: the queue's state, no copy of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit.data import make_views

if TYPE_CHECKING:
    from sqlalchemy import Connection

_TASKS = """
CREATE VIEW sync_job_tasks AS
SELECT
  t.id,
  t.run_id AS job_id,
  t.resource_type,
  CASE j.status
    WHEN 'running' THEN 'processing'
    WHEN 'succeeded' THEN 'completed'
    WHEN 'dead' THEN 'failed'
    WHEN 'cancelled' THEN 'cancelled'
    ELSE 'pending'
  END AS status,
  t.created + t.updated + t.unchanged AS entity_count,
  t.created_at,
  t.started_at,
  CASE WHEN j.status IN ('succeeded', 'dead', 'cancelled') THEN j.finished_at END AS completed_at,
  CASE
    WHEN j.status = 'dead' AND j.error_message LIKE 'lapsed:%' THEN 'orphaned'
    WHEN j.status = 'dead' AND j.error_message LIKE 'Dead: %' THEN substr(j.error_message, 7)
    WHEN j.status IN ('dead', 'failed', 'cancelled') THEN j.error_message
  END AS error_message,
  t.created,
  t.updated,
  t.unchanged,
  t.deleted,
  t.nameless,
  t.pages,
  t.note,
  CASE WHEN j.status NOT IN ('running', 'succeeded', 'dead', 'cancelled') THEN t.snooze_reason END
    AS snooze_reason,
  CASE WHEN j.status NOT IN ('running', 'succeeded', 'dead', 'cancelled') THEN t.snoozed_until END
    AS snoozed_until
FROM sync_task AS t
JOIN {jobs} AS j ON j.id = t.id
"""

# Not joined but looked up, row by row: nobody reads all of them, and a join would.
_JOBS = """
CREATE VIEW sync_jobs AS
SELECT
  r.id,
  b.meta ->> 'app_key' AS app_key,
  b.meta ->> 'mode' AS mode,
  b.meta -> 'resource_types' AS resource_types,
  CASE
    WHEN b.cancelled_at IS NOT NULL THEN 'cancelled'
    WHEN b.succeeded + b.dead + b.cancelled < b.total THEN
      CASE
        WHEN (SELECT min(t.started_at) FROM sync_task AS t WHERE t.run_id = r.id) IS NULL
          THEN 'pending'
        ELSE 'processing'
      END
    WHEN b.dead > 0 THEN 'failed'
    WHEN b.cancelled > 0 THEN 'cancelled'
    ELSE 'completed'
  END AS status,
  b.total AS total_tasks,
  b.succeeded AS completed_tasks,
  b.dead AS failed_tasks,
  (
    SELECT CAST(coalesce(sum(t.created + t.updated + t.unchanged), 0) AS bigint)
    FROM sync_task AS t
    WHERE t.run_id = r.id
  ) AS processed_entities,
  r.created_at,
  (SELECT min(t.started_at) FROM sync_task AS t WHERE t.run_id = r.id) AS started_at,
  CASE
    WHEN b.succeeded + b.dead + b.cancelled >= b.total
      THEN (SELECT max(t.completed_at) FROM sync_job_tasks AS t WHERE t.job_id = r.id)
    ELSE b.cancelled_at
  END AS completed_at,
  (
    SELECT {joined}(failed.error_message, '; ')
    FROM (
      SELECT t.error_message
      FROM sync_job_tasks AS t
      WHERE t.job_id = r.id AND t.status = 'failed'
      ORDER BY t.id
    ) AS failed
  ) AS error_message
FROM sync_run AS r
JOIN {batches} AS b ON b.id = r.id
"""

_JOINED = {"sqlite": "group_concat", "postgresql": "string_agg"}


def make_sync_views(connection: Connection) -> None:
    """Make both; jobs look at tasks."""
    joined = _JOINED[connection.dialect.name]
    make_views(connection, _TASKS, _JOBS.replace("{joined}", joined))
