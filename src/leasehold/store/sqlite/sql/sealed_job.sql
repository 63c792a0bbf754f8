-- Looks at a page of rows, in the order of their primary key, and returns those that are encrypted with
-- other keys than the fine ones: how many it saw, where it ended, and what it found, as JSON.
WITH page AS MATERIALIZED (
  SELECT id, tenant, args
  FROM leasehold_job
  WHERE id > :after_0
  ORDER BY id
  LIMIT :limit
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_array(id) FROM page ORDER BY id DESC LIMIT 1),
  (
    SELECT json_group_array(json_array(json_array(id), tenant,
      json_object('args', args)))
    FROM page
    WHERE (substr(args, 1, 7) = '{"$enc"'
      AND json_extract(args, '$."$enc"') NOT IN (SELECT value FROM json_each(:fine)))
  )
