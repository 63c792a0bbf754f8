-- Reads what a narrowed claim wants of lanes, in the order of the claim, passing over the others.
-- leasehold_waiting_place: no sort. One value, as lane_pick.
SELECT json_group_array(json((
  SELECT json_group_array(json_array(
    job_id, kind, args, attempt, failures, lapses, max_attempts, timeout_seconds, tenant, cost, batch,
    trace
  ))
  FROM (
    SELECT
      waiting.job_id, waiting.kind, job.args, waiting.attempt, waiting.failures, waiting.lapses,
      job.max_attempts, job.timeout_seconds, waiting.tenant, coalesce(waiting.cost, 1) AS cost,
      waiting.batch, job.trace
    FROM leasehold_waiting AS waiting
    CROSS JOIN leasehold_job AS job ON job.id = waiting.job_id
    WHERE waiting.place = asked.value
    AND (waiting.lapses > 0) = :is_suspect
    AND (:batch IS NULL OR waiting.batch = :batch)
    AND waiting.kind IN (SELECT value FROM json_each(:kinds))
    ORDER BY waiting.created_at, waiting.job_id
    LIMIT :limit
  )
)))
FROM json_each(:places) AS asked
