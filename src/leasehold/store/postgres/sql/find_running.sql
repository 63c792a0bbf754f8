-- Lists running jobs, newest first: primary key of lease, backwards.
SELECT record.id, record.tenant, record.queue, record.kind, record.args::text, record.state,
  record.priority, record.attempt, record.failures, record.lapses, record.max_attempts,
  record.timeout_seconds, record.run_at, record.worker, record.worker_name, record.claimed_at,
  record.lease_until, record.cancel_requested, record.batch, record.lane, record.started_at,
  record.finished_at, record.result::text, record.error, record.created_by, record.created_at
FROM (
  SELECT lease.job_id
  FROM leasehold.lease
  WHERE lease.job_id < %(before)s
    AND (%(queue)s::text IS NULL OR lease.queue = %(queue)s)
    AND (%(kind)s::text IS NULL OR lease.kind = %(kind)s)
    AND (%(tenant)s::text IS NULL OR lease.tenant = %(tenant)s)
    AND (%(batch)s::uuid IS NULL OR lease.batch = %(batch)s)
  ORDER BY 1 DESC
  LIMIT %(limit)s
) AS page
JOIN leasehold.record ON record.id = page.job_id
ORDER BY record.id DESC
