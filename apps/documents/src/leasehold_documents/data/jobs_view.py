"""`jobs`, as the seed has it: the queue's own state under its 16 columns, no copy of it.

It begins with `states`, so that who asks for one state reads where those jobs stand and not all of
them; each job is then looked up by its key. Reading it locks nothing that a claim needs. On
PostgreSQL members see the jobs of their tenants, workers all; only the queue changes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit.data import make_views
from leasehold_documents.data.binding import MEMBER, WORKER
from leasehold_documents.data.policies import READABLE
from leasehold_documents.data.roles import schema_of
from leasehold_documents.model.jobs import QUEUES, TYPES

if TYPE_CHECKING:
    from sqlalchemy import Connection

_STATUS = """CASE s.status
    WHEN 'succeeded' THEN 'done'
    WHEN 'blocked' THEN 'queued'
    ELSE s.status
  END"""

_SQLITE = """
CREATE VIEW jobs AS
SELECT
  s.id,
  s.tenant_id,
  j.type,
  j.payload,
  {status} AS status,
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

# What has gone well is read where it was written down, by when it ended: there are most of them.
# All others are looked up by their key (LATERAL … OFFSET 0), and never joined, however many tables
# the planner is allowed to put in order. The queue's tenants are texts: ours among them are those
# of an organization, found by the index on its id as text.
_POSTGRES = """
CREATE VIEW jobs WITH (security_barrier) AS
SELECT
  told.id,
  told.tenant_id,
  told.type,
  told.payload,
  told.status,
  told.priority::integer AS priority,
  told.attempts::integer AS attempts,
  told.max_attempts::integer AS max_attempts,
  told.run_at,
  told.started_at,
  told.finished_at,
  told.result,
  told.error_message,
  CASE WHEN told.created_by {is_uuid} THEN told.created_by::uuid END AS created_by,
  told.created_at,
  told.updated_at
FROM (
  SELECT
    s.id,
    org.id AS tenant_id,
    j.type,
    j.payload,
    {status} AS status,
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
  FROM leasehold.states AS s
  JOIN organizations AS org ON org.id::text = s.tenant_id
  CROSS JOIN LATERAL (
    SELECT * FROM leasehold.jobs WHERE jobs.id = s.id OFFSET 0
  ) AS j
  WHERE s.status <> 'succeeded'
  UNION ALL
  SELECT
    o.job_id,
    org.id,
    job.kind,
    job.args::jsonb,
    'done',
    job.priority,
    o.failures + 1,
    job.max_attempts,
    coalesce(job.run_at, job.created_at),
    o.started_at,
    o.finished_at,
    o.result,
    o.error,
    job.created_by,
    job.created_at,
    greatest(job.created_at, o.finished_at)
  FROM leasehold.outcome AS o
  JOIN organizations AS org ON org.id::text = o.tenant
  JOIN leasehold.job ON job.id = o.job_id
  WHERE o.state = 'succeeded' -- which is final
) AS told
WHERE told.type IN ({types})
  AND (
    pg_has_role(current_user, '{worker}', 'USAGE')
    OR told.tenant_id = {readable}
  )
"""

_INDEX = "CREATE INDEX organizations_tenant ON organizations ((id::text))"

_WORDS = {
    "{status}": _STATUS,
    "{types}": ", ".join(f"'{name}'" for name in TYPES),
    "{is_uuid}": "~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'",
    "{worker}": WORKER,
    "{readable}": READABLE,
}
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
    if connection.dialect.name == "sqlite":
        make_views(connection, _worded(_SQLITE))
        return
    schema = schema_of(connection)
    said = {"schema": schema, "columns": _COLUMNS, "worker": WORKER}
    said |= {"queues": ",".join(QUEUES), "types": ",".join(TYPES)}
    connection.exec_driver_sql(_INDEX)
    connection.exec_driver_sql(_worded(_POSTGRES))
    connection.exec_driver_sql(f"GRANT SELECT ON jobs TO {MEMBER}, {WORKER}")
    connection.exec_driver_sql(_CLAIM.format_map(said))


def _worded(statement: str) -> str:
    for name, words in _WORDS.items():
        statement = statement.replace(name, words)
    return statement
