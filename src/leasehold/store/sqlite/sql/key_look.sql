-- What these keys of a tenant and their jobs say. Primary keys, leasehold_ready_job.
SELECT
  held.tenant, held.key, held.job_id,
  CASE
    WHEN EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = held.job_id) THEN 'lease'
    WHEN EXISTS (SELECT 1 FROM leasehold_ready WHERE job_id = held.job_id) THEN 'ready'
    WHEN EXISTS (SELECT 1 FROM leasehold_scheduled WHERE job_id = held.job_id) THEN 'scheduled'
    WHEN EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = held.job_id) THEN 'waiting'
    WHEN EXISTS (SELECT 1 FROM leasehold_parked WHERE job_id = held.job_id) THEN 'parked'
  END,
  (SELECT waiting.job_id FROM leasehold_waiting AS waiting WHERE waiting.job_id = held.next),
  held.taken_at, held.series_at,
  (SELECT run_at FROM leasehold_scheduled WHERE job_id = held.job_id AND attempt = 0),
  coalesce((
    SELECT finished_at FROM leasehold_outcome WHERE job_id = held.job_id AND state = 'succeeded'
  ), held.succeeded_at),
  held.memory_seconds, held.is_urgent
FROM json_each(:keys) AS asked
CROSS JOIN leasehold_key AS held
  ON held.tenant = :tenant
  AND held.key = asked.value
