"""`import_jobs` and `enrichment_jobs`, as the seed names them: the queue's state, no copy of it."""

from __future__ import annotations

_IMPORTS = """
CREATE VIEW import_jobs AS
SELECT
  i.id,
  i.user_id,
  i.source_type,
  CASE j.status
    WHEN 'running' THEN 'running'
    WHEN 'succeeded' THEN 'succeeded'
    WHEN 'dead' THEN 'failed'
    WHEN 'cancelled' THEN 'canceled'
    ELSE 'queued'
  END AS status,
  coalesce(i.total_items, 0) AS total_items,
  i.imported_items + i.duplicate_items + i.skipped_items + i.failed_items AS processed_items,
  i.failed_items,
  i.created_at,
  j.started_at,
  CASE WHEN j.status IN ('succeeded', 'dead', 'cancelled') THEN j.finished_at END AS finished_at,
  j.error_message AS last_error
FROM links_import AS i
JOIN {jobs} AS j ON j.id = i.id
"""

_ENRICHMENTS = """
CREATE VIEW enrichment_jobs AS
SELECT
  j.id,
  c.id AS link_canonical_id,
  CASE
    WHEN j.status IN ('running', 'succeeded', 'failed', 'dead') THEN j.status
    WHEN j.status = 'cancelled' THEN 'dead'
    ELSE 'queued'
  END AS status,
  j.attempts,
  j.max_attempts,
  j.run_at AS run_after,
  j.locked_at,
  j.locked_by,
  CASE j.status WHEN 'cancelled' THEN 'cancelled' ELSE j.error_message END AS last_error,
  j.created_at,
  j.updated_at
FROM links_canonical AS c
JOIN {jobs} AS j ON j.id = c.job_id
"""

# For our own questions: with the link's columns, so that nobody joins the links a second time,
# which PostgreSQL plans as every link with every other one. It begins with the state, so that who
# asks for the few that failed does not look at all that wait: CROSS is SQLite's for that order.
_STANDING = """
CREATE VIEW links_standing AS
SELECT
  c.id,
  c.job_id,
  c.url,
  c.domain,
  coalesce(c.reason, 'lost') AS reason,
  c.status AS answer,
  s.status AS state,
  j.attempts,
  c.reason IS NULL AND c.fetched_at IS NOT NULL AND c.fetched_at >= j.created_at AS is_enriched
FROM {states} AS s
CROSS JOIN links_canonical AS c
CROSS JOIN {jobs} AS j
WHERE c.job_id = s.id
  AND j.id = s.id
"""

# To count them.
_STATES = """
CREATE VIEW links_states AS
SELECT c.id, s.status AS state
FROM {states} AS s
CROSS JOIN links_canonical AS c
WHERE c.job_id = s.id
"""

VIEWS = (_IMPORTS, _ENRICHMENTS, _STANDING, _STATES)
