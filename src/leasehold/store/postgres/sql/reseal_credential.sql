-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key. What
-- anybody has locked is left alone, so that nobody is waited for.
WITH asked AS MATERIALIZED (
  SELECT (change -> 'key' ->> 0)::text AS tenant,
    (change -> 'key' ->> 1)::text AS name,
    change -> 'old' ->> 'value' AS old_value, change -> 'new' ->> 'value' AS new_value
  FROM jsonb_array_elements(%(changes)s::jsonb) AS change
),
held AS MATERIALIZED (
  SELECT credential.tenant, credential.name
  FROM asked
  JOIN leasehold.credential ON credential.tenant = asked.tenant AND credential.name = asked.name
  ORDER BY 1, 2
  FOR NO KEY UPDATE OF credential SKIP LOCKED
)
UPDATE leasehold.credential
SET value = coalesce(asked.new_value, credential.value)
FROM asked
JOIN held USING (tenant, name)
WHERE credential.tenant = asked.tenant AND credential.name = asked.name
  AND (asked.old_value IS NULL OR credential.value = asked.old_value)
RETURNING 1
