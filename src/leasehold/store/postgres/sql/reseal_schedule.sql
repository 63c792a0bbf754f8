-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key. What
-- anybody has locked is left alone, so that nobody is waited for.
WITH asked AS MATERIALIZED (
  SELECT (change -> 'key' ->> 0)::text AS tenant,
    (change -> 'key' ->> 1)::text AS name,
    change -> 'old' ->> 'job' AS old_job, change -> 'new' ->> 'job' AS new_job
  FROM jsonb_array_elements(%(changes)s::jsonb) AS change
),
held AS MATERIALIZED (
  SELECT schedule.tenant, schedule.name
  FROM asked
  JOIN leasehold.schedule ON schedule.tenant = asked.tenant AND schedule.name = asked.name
  ORDER BY 1, 2
  FOR NO KEY UPDATE OF schedule SKIP LOCKED
)
UPDATE leasehold.schedule
SET job = coalesce(asked.new_job::json, schedule.job)
FROM asked
JOIN held USING (tenant, name)
WHERE schedule.tenant = asked.tenant AND schedule.name = asked.name
  AND (asked.old_job IS NULL OR schedule.job::text = asked.old_job)
RETURNING 1
