-- Reads one job in one statement, so that it is seen in exactly one table: primary keys.
SELECT record.id, record.tenant, record.queue, record.kind, record.args::text, record.state,
  record.priority, record.attempt, record.failures, record.lapses, record.max_attempts,
  record.timeout_seconds, record.run_at, record.worker, record.worker_name, record.claimed_at,
  record.lease_until, record.cancel_requested, record.batch, record.lane, record.started_at,
  record.finished_at, record.result::text, record.error, record.created_by, record.created_at
FROM leasehold.record
WHERE record.id = %(job_id)s
