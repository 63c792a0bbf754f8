"""`jobs`, as the seed has it: the queue's own state under its 16 columns, no copy of it.

It begins with where jobs stand, so that who asks for one state does not read all of them; each job
is then looked up by its key. Reading it locks nothing that a claim needs. On PostgreSQL members see
the jobs of their tenants, workers all; only the queue changes them. `claim_next_job` claims.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit.data import make_views
from leasehold_documents.data.binding import MEMBER, WORKER
from leasehold_documents.data.jobs_postgres import INDEX, VIEW
from leasehold_documents.data.policies import READABLE
from leasehold_documents.data.roles import schema_of
from leasehold_documents.model.jobs import QUEUES, TYPES

if TYPE_CHECKING:
    from sqlalchemy import Connection

_SQLITE = """
CREATE VIEW jobs AS
SELECT
  s.id,
  s.tenant_id,
  j.type,
  j.payload,
  CASE s.status
    WHEN 'succeeded' THEN 'done'
    WHEN 'blocked' THEN 'queued'
    ELSE s.status
  END AS status,
  j.priority,
  j.attempts,
  j.max_attempts,
  j.run_at,
  j.started_at,
  j.finished_at,
  j.result,
  j.error_message,
  j.created_by,
  j.created_at,
  j.updated_at
FROM {states} AS s
JOIN organizations AS org ON org.id = s.tenant_id
JOIN {jobs} AS j ON j.id = s.id
WHERE j.type IN ({types})
"""

_COLUMNS = """id uuid, tenant_id uuid, type text, payload jsonb, status text, priority integer,
  attempts integer, max_attempts integer, run_at timestamptz, started_at timestamptz,
  finished_at timestamptz, result jsonb, error_message text, created_by uuid,
  created_at timestamptz, updated_at timestamptz"""
# Claims really, by the queue's limits and turns, and says by which fence the job is ended:
# SELECT leasehold.settle(id, fence, worker_id, result). The owner's rights, for workers alone.
_CLAIM = """
CREATE FUNCTION {schema}.claim_next_job(worker text, lease interval DEFAULT '5 minutes')
RETURNS TABLE ({columns},
  fence bigint, worker_id bigint, leased_until timestamptz)
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  claimed record;
BEGIN
  SELECT * INTO claimed FROM leasehold.claim_next(worker, lease, '{{{queues}}}', '{{{types}}}');
  RETURN QUERY
  SELECT job.*, claimed.fence, claimed.worker_id, claimed.until
  FROM {schema}.jobs AS job
  WHERE job.id = claimed.job_id;
END
$$;
REVOKE ALL ON FUNCTION {schema}.claim_next_job(text, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION {schema}.claim_next_job(text, interval) TO {worker};
"""


def make_jobs_view(connection: Connection) -> None:
    """Make the view and, on PostgreSQL, `claim_next_job`; the roles stand already."""
    types = ", ".join(f"'{name}'" for name in TYPES)
    if connection.dialect.name == "sqlite":
        make_views(connection, _SQLITE.replace("{types}", types))
        return
    for statement in (INDEX, VIEW.format(types=types, worker=WORKER, readable=READABLE)):
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql(f"GRANT SELECT ON jobs TO {MEMBER}, {WORKER}")
    connection.exec_driver_sql(
        _CLAIM.format(
            schema=schema_of(connection),
            columns=_COLUMNS,
            worker=WORKER,
            queues=",".join(QUEUES),
            types=",".join(TYPES),
        )
    )
