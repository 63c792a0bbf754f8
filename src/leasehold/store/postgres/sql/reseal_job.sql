-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key. What
-- anybody has locked is left alone, so that nobody is waited for.
WITH asked AS MATERIALIZED (
  SELECT (change -> 'key' ->> 0)::uuid AS id,
    change -> 'old' ->> 'args' AS old_args, change -> 'new' ->> 'args' AS new_args
  FROM jsonb_array_elements(%(changes)s::jsonb) AS change
),
held AS MATERIALIZED (
  SELECT job.id
  FROM asked
  JOIN leasehold.job ON job.id = asked.id
  ORDER BY 1
  FOR NO KEY UPDATE OF job SKIP LOCKED
)
UPDATE leasehold.job
SET args = coalesce(asked.new_args::json, job.args)
FROM asked
JOIN held USING (id)
WHERE job.id = asked.id
  AND (asked.old_args IS NULL OR job.args::text = asked.old_args)
RETURNING 1
