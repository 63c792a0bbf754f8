-- Looks at a page of rows, in the order of their primary key, and returns those that are encrypted with
-- other keys than the fine ones: how many it saw, where it ended, and what it found, as JSON.
WITH page AS MATERIALIZED (
  SELECT job_id, tenant, cursor, note
  FROM leasehold_checkpoint
  WHERE job_id > :after_0
  ORDER BY job_id
  LIMIT :limit
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_array(job_id) FROM page ORDER BY job_id DESC LIMIT 1),
  (
    SELECT json_group_array(json_array(json_array(job_id), tenant,
      json_object('cursor', cursor, 'note', note)))
    FROM page
    WHERE (substr(cursor, 1, 7) = '{"$enc"'
      AND json_extract(cursor, '$."$enc"') NOT IN (SELECT value FROM json_each(:fine)))
    OR (instr(note, '$enc:') > 0 AND NOT EXISTS (
        SELECT 1 FROM json_each(:fine) WHERE instr(note, '$enc:' || json_each.value || ':') > 0
      ))
  )
