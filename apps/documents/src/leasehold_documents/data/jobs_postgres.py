"""The view `jobs` on PostgreSQL, over the tables in which the queue's jobs stand.

Not over the queue's own views: those show what their reader may see, and members may see nothing of
the queue. This one reads as its owner, and says itself who sees what. A test compares both.
"""

from __future__ import annotations

from typing import Final

# The queue's tenants are texts: ours among them are those of an organization.
INDEX: Final = "CREATE INDEX organizations_tenant ON organizations ((id::text))"

# Live jobs, what ended badly, what went well: who asks for one status reads one of them. A job is
# looked up by its key (LATERAL … OFFSET 0), whatever the planner thinks of the tables.
VIEW: Final = """
CREATE VIEW jobs WITH (security_barrier) AS
SELECT
  told.id,
  told.tenant_id,
  told.type,
  told.payload::jsonb AS payload,
  told.status,
  told.priority::integer AS priority,
  told.attempts::integer AS attempts,
  told.max_attempts::integer AS max_attempts,
  told.run_at,
  told.started_at,
  told.finished_at,
  told.result,
  told.error_message,
  CASE
    WHEN told.created_by ~ '^[0-9a-f]{{8}}(-[0-9a-f]{{4}}){{3}}-[0-9a-f]{{12}}$'
      THEN told.created_by::uuid
  END AS created_by,
  told.created_at,
  told.updated_at
FROM (
  SELECT
    live.job_id AS id,
    org.id AS tenant_id,
    job.kind AS type,
    job.args AS payload,
    live.status,
    live.priority,
    live.failures + (live.status = 'running')::integer AS attempts,
    job.max_attempts,
    coalesce(live.run_at, job.run_at, job.created_at) AS run_at,
    coalesce(live.claimed_at, last.started_at) AS started_at,
    NULL::timestamptz AS finished_at,
    NULL::jsonb AS result,
    last.error AS error_message,
    job.created_by,
    job.created_at,
    greatest(job.created_at, last.finished_at, live.claimed_at) AS updated_at
  FROM (
    SELECT job_id, tenant, 'running' AS status, priority, failures, NULL::timestamptz AS run_at,
      claimed_at
    FROM leasehold.lease
    UNION ALL
    SELECT job_id, tenant, 'queued', priority, failures, NULL, NULL FROM leasehold.ready
    UNION ALL
    SELECT job_id, tenant, 'queued', priority, failures, NULL, NULL FROM leasehold.parked
    UNION ALL
    SELECT job_id, tenant, 'queued', priority, failures, NULL, NULL FROM leasehold.waiting
    UNION ALL
    SELECT job_id, tenant, 'queued', priority, failures, run_at, NULL
    FROM leasehold.scheduled
    WHERE failures = 0
    UNION ALL
    SELECT job_id, tenant, 'failed', priority, failures, run_at, NULL
    FROM leasehold.scheduled
    WHERE failures > 0
  ) AS live
  JOIN organizations AS org ON org.id::text = live.tenant
  CROSS JOIN LATERAL (
    SELECT kind, args, max_attempts, priority, run_at, created_by, created_at
    FROM leasehold.job
    WHERE job.id = live.job_id
    OFFSET 0
  ) AS job
  LEFT JOIN LATERAL (
    SELECT o.started_at, o.finished_at, o.error
    FROM leasehold.outcome AS o
    WHERE o.job_id = live.job_id
    ORDER BY o.attempt DESC
    LIMIT 1
  ) AS last ON true
  UNION ALL
  SELECT
    ended.job_id,
    org.id,
    job.kind,
    job.args,
    ended.status,
    job.priority,
    ended.failures,
    job.max_attempts,
    coalesce(job.run_at, job.created_at),
    ended.started_at,
    ended.finished_at,
    NULL,
    ended.error,
    job.created_by,
    job.created_at,
    greatest(job.created_at, ended.finished_at)
  FROM (
    SELECT 'dead' AS status, dead.job_id, dead.tenant, dead.attempt, dead.failures,
      dead.started_at, dead.finished_at, dead.error
    FROM leasehold.outcome AS dead
    WHERE dead.state = 'dead'
      AND dead.state <> 'succeeded' -- the index is on these
    UNION ALL
    SELECT 'cancelled', cancelled.job_id, cancelled.tenant, cancelled.attempt,
      cancelled.failures, cancelled.started_at, cancelled.finished_at, cancelled.error
    FROM leasehold.outcome AS cancelled
    WHERE cancelled.state = 'cancelled'
      AND cancelled.state <> 'succeeded'
  ) AS ended
  JOIN organizations AS org ON org.id::text = ended.tenant
  CROSS JOIN LATERAL (
    SELECT kind, args, max_attempts, priority, run_at, created_by, created_at
    FROM leasehold.job
    WHERE job.id = ended.job_id
    OFFSET 0
  ) AS job
  WHERE NOT EXISTS ( -- retried since
      SELECT FROM leasehold.outcome AS later
      WHERE later.job_id = ended.job_id AND later.attempt > ended.attempt)
    AND NOT EXISTS (SELECT FROM leasehold.ready AS live WHERE live.job_id = ended.job_id)
    AND NOT EXISTS (SELECT FROM leasehold.parked AS live WHERE live.job_id = ended.job_id)
    AND NOT EXISTS (SELECT FROM leasehold.waiting AS live WHERE live.job_id = ended.job_id)
    AND NOT EXISTS (SELECT FROM leasehold.scheduled AS live WHERE live.job_id = ended.job_id)
    AND NOT EXISTS (SELECT FROM leasehold.lease AS live WHERE live.job_id = ended.job_id)
  UNION ALL
  SELECT
    done.job_id,
    org.id,
    job.kind,
    job.args,
    'done',
    job.priority,
    done.failures + 1,
    job.max_attempts,
    coalesce(job.run_at, job.created_at),
    done.started_at,
    done.finished_at,
    done.result,
    done.error,
    job.created_by,
    job.created_at,
    greatest(job.created_at, done.finished_at)
  FROM leasehold.outcome AS done
  JOIN organizations AS org ON org.id::text = done.tenant
  JOIN leasehold.job ON job.id = done.job_id
  WHERE done.state = 'succeeded' -- which is final
) AS told
WHERE told.type IN ({types})
  AND (
    pg_has_role(current_user, '{worker}', 'USAGE')
    OR told.tenant_id = {readable}
  )
"""
