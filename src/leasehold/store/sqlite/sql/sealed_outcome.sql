-- Looks at a page of rows, in the order of their primary key, and returns those that are encrypted with
-- other keys than the fine ones: how many it saw, where it ended, and what it found, as JSON.
WITH page AS MATERIALIZED (
  SELECT job_id, attempt, tenant, result, error, traceback
  FROM leasehold_outcome
  WHERE (job_id, attempt) > (:after_0, :after_1)
  ORDER BY job_id, attempt
  LIMIT :limit
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_array(job_id, attempt) FROM page ORDER BY job_id DESC, attempt DESC LIMIT 1),
  (
    SELECT json_group_array(json_array(json_array(job_id, attempt), tenant,
      json_object('result', result, 'error', error, 'traceback', traceback)))
    FROM page
    WHERE (substr(result, 1, 7) = '{"$enc"'
      AND json_extract(result, '$."$enc"') NOT IN (SELECT value FROM json_each(:fine)))
    OR (instr(error, '$enc:') > 0 AND NOT EXISTS (
        SELECT 1 FROM json_each(:fine) WHERE instr(error, '$enc:' || json_each.value || ':') > 0
      ))
    OR (instr(traceback, '$enc:') > 0 AND NOT EXISTS (
        SELECT 1 FROM json_each(:fine) WHERE instr(traceback, '$enc:' || json_each.value || ':') > 0
      ))
  )
