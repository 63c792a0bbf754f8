-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key. What
-- anybody has locked is left alone, so that nobody is waited for.
WITH asked AS MATERIALIZED (
  SELECT (change -> 'key' ->> 0)::uuid AS job_id,
    (change -> 'key' ->> 1)::integer AS attempt,
    change -> 'old' ->> 'result' AS old_result, change -> 'new' ->> 'result' AS new_result,
    change -> 'old' ->> 'error' AS old_error, change -> 'new' ->> 'error' AS new_error,
    change -> 'old' ->> 'traceback' AS old_traceback, change -> 'new' ->> 'traceback' AS new_traceback
  FROM jsonb_array_elements(%(changes)s::jsonb) AS change
),
held AS MATERIALIZED (
  SELECT outcome.job_id, outcome.attempt
  FROM asked
  JOIN leasehold.outcome ON outcome.job_id = asked.job_id AND outcome.attempt = asked.attempt
  ORDER BY 1, 2
  FOR NO KEY UPDATE OF outcome SKIP LOCKED
)
UPDATE leasehold.outcome
SET result = coalesce(asked.new_result::jsonb, outcome.result),
  error = coalesce(asked.new_error, outcome.error),
  traceback = coalesce(asked.new_traceback, outcome.traceback)
FROM asked
JOIN held USING (job_id, attempt)
WHERE outcome.job_id = asked.job_id
  AND outcome.attempt = asked.attempt
  AND (asked.old_result IS NULL OR outcome.result::text = asked.old_result)
  AND (asked.old_error IS NULL OR outcome.error = asked.old_error)
  AND (asked.old_traceback IS NULL OR outcome.traceback = asked.old_traceback)
RETURNING 1
