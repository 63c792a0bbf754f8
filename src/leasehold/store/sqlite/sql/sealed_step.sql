-- Looks at a page of rows, in the order of their primary key, and returns those that are encrypted with
-- other keys than the fine ones: how many it saw, where it ended, and what it found, as JSON.
WITH page AS MATERIALIZED (
  SELECT job_id, name, tenant, result
  FROM leasehold_step
  WHERE (job_id, name) > (:after_0, :after_1)
  ORDER BY job_id, name
  LIMIT :limit
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_array(job_id, name) FROM page ORDER BY job_id DESC, name DESC LIMIT 1),
  (
    SELECT json_group_array(json_array(json_array(job_id, name), tenant,
      json_object('result', result)))
    FROM page
    WHERE (substr(result, 1, 7) = '{"$enc"'
      AND json_extract(result, '$."$enc"') NOT IN (SELECT value FROM json_each(:fine)))
  )
