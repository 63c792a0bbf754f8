"""`jobs`, as the seed has it: the queue's own state under nine columns, no copy of it.

It begins with where jobs stand, so that who asks for those that wait does not read all of them.
Only the queue changes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit.data import make_views

if TYPE_CHECKING:
    from sqlalchemy import Connection

# 0 queued, also when it is to be tried again; 1 running; 2 done; 3 failed, or cancelled.
_JOBS = """
CREATE VIEW jobs AS
SELECT
  s.id,
  j.type AS kind,
  j.payload,
  CASE s.status
    WHEN 'running' THEN 1
    WHEN 'succeeded' THEN 2
    WHEN 'dead' THEN 3
    WHEN 'cancelled' THEN 3
    ELSE 0
  END AS status,
  j.run_at AS run_after,
  j.failures AS tries,
  j.error_message AS last_error,
  j.created_at,
  j.updated_at
FROM {states} AS s
JOIN {jobs} AS j ON j.id = s.id
"""


def make_jobs_view(connection: Connection) -> None:
    """Make it, over the queue's own views."""
    make_views(connection, _JOBS)
