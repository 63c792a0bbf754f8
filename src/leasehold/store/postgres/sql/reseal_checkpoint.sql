-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key. What
-- anybody has locked is left alone, so that nobody is waited for.
WITH asked AS MATERIALIZED (
  SELECT (change -> 'key' ->> 0)::uuid AS job_id,
    change -> 'old' ->> 'cursor' AS old_cursor, change -> 'new' ->> 'cursor' AS new_cursor,
    change -> 'old' ->> 'note' AS old_note, change -> 'new' ->> 'note' AS new_note
  FROM jsonb_array_elements(%(changes)s::jsonb) AS change
),
held AS MATERIALIZED (
  SELECT checkpoint.job_id
  FROM asked
  JOIN leasehold.checkpoint ON checkpoint.job_id = asked.job_id
  ORDER BY 1
  FOR NO KEY UPDATE OF checkpoint SKIP LOCKED
)
UPDATE leasehold.checkpoint
SET cursor = coalesce(asked.new_cursor::json, checkpoint.cursor),
  note = coalesce(asked.new_note, checkpoint.note)
FROM asked
JOIN held USING (job_id)
WHERE checkpoint.job_id = asked.job_id
  AND (asked.old_cursor IS NULL OR checkpoint.cursor::text = asked.old_cursor)
  AND (asked.old_note IS NULL OR checkpoint.note = asked.old_note)
RETURNING 1
