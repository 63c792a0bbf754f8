-- Looks at a page of rows, in the order of their primary key, and returns those that are encrypted with
-- other keys than the fine ones: how many it saw, where it ended, and what it found, as JSON.
WITH page AS MATERIALIZED (
  SELECT job_id, tenant, cursor, note
  FROM leasehold.checkpoint
  WHERE job_id > %(after_0)s::uuid
  ORDER BY job_id
  LIMIT %(limit)s
),
found AS (
  SELECT json_build_array(json_build_array(job_id), tenant,
    json_build_object('cursor', cursor::text, 'note', note::text)) AS row
  FROM page
  WHERE (starts_with(cursor::text, '{"$enc"') AND (cursor ->> '$enc') <> ALL (%(fine)s::text[]))
    OR (position('$enc:' IN note) > 0
    AND substring(note FROM '\$enc:([A-Za-z0-9._-]+):') <> ALL (%(fine)s::text[]))
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_build_array(job_id)::text FROM page ORDER BY job_id DESC LIMIT 1),
  (SELECT coalesce(json_agg(row), '[]')::text FROM found)
