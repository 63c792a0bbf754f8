-- Looks at a page of rows, in the order of their primary key, and returns those that are encrypted with
-- other keys than the fine ones: how many it saw, where it ended, and what it found, as JSON.
WITH page AS MATERIALIZED (
  SELECT id, tenant, args
  FROM leasehold.job
  WHERE id > %(after_0)s::uuid
  ORDER BY id
  LIMIT %(limit)s
),
found AS (
  SELECT json_build_array(json_build_array(id), tenant,
    json_build_object('args', args::text)) AS row
  FROM page
  WHERE (starts_with(args::text, '{"$enc"') AND (args ->> '$enc') <> ALL (%(fine)s::text[]))
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_build_array(id)::text FROM page ORDER BY id DESC LIMIT 1),
  (SELECT coalesce(json_agg(row), '[]')::text FROM found)
