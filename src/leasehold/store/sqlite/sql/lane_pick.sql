-- Reads the heads of lanes in the order of the claim, so many of each. leasehold_waiting_place alone, and
-- no sort. One value: a statement for each lane, or rows, would take twice as long.
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
    ORDER BY waiting.created_at, waiting.job_id
    LIMIT :limit
  )
)))
FROM json_each(:places) AS asked
