-- Deletes ended jobs and their history: primary keys. The caller holds the jobs' locks.
WITH gone AS (
  DELETE FROM leasehold.job
  WHERE id = ANY (%(job_ids)s::uuid[])
    AND NOT EXISTS (SELECT FROM leasehold.ready WHERE ready.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.scheduled WHERE scheduled.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.parked WHERE parked.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.waiting WHERE waiting.job_id = job.id)
    AND NOT EXISTS (SELECT FROM leasehold.lease WHERE lease.job_id = job.id)
  RETURNING id
),
needs AS (
  DELETE FROM leasehold.dependency
  WHERE job_id = ANY (ARRAY (SELECT id FROM gone))
),
history AS (
  DELETE FROM leasehold.outcome
  WHERE job_id = ANY (ARRAY (SELECT id FROM gone))
),
saved AS (
  DELETE FROM leasehold.checkpoint
  WHERE job_id = ANY (ARRAY (SELECT id FROM gone))
),
remembered AS (
  DELETE FROM leasehold.step
  WHERE job_id = ANY (ARRAY (SELECT id FROM gone))
)
SELECT id, NULL::text
FROM gone
