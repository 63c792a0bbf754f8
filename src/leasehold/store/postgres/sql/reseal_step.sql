-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key. What
-- anybody has locked is left alone, so that nobody is waited for.
WITH asked AS MATERIALIZED (
  SELECT (change -> 'key' ->> 0)::uuid AS job_id,
    (change -> 'key' ->> 1)::text AS name,
    change -> 'old' ->> 'result' AS old_result, change -> 'new' ->> 'result' AS new_result
  FROM jsonb_array_elements(%(changes)s::jsonb) AS change
),
held AS MATERIALIZED (
  SELECT step.job_id, step.name
  FROM asked
  JOIN leasehold.step ON step.job_id = asked.job_id AND step.name = asked.name
  ORDER BY 1, 2
  FOR NO KEY UPDATE OF step SKIP LOCKED
)
UPDATE leasehold.step
SET result = coalesce(asked.new_result::json, step.result)
FROM asked
JOIN held USING (job_id, name)
WHERE step.job_id = asked.job_id AND step.name = asked.name
  AND (asked.old_result IS NULL OR step.result::text = asked.old_result)
RETURNING 1
