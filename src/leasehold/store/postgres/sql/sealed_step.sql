-- Looks at a page of rows, in the order of their primary key, and returns those that are encrypted with
-- other keys than the fine ones: how many it saw, where it ended, and what it found, as JSON.
WITH page AS MATERIALIZED (
  SELECT job_id, name, tenant, result
  FROM leasehold.step
  WHERE (job_id, name) > (%(after_0)s::uuid, %(after_1)s::text)
  ORDER BY job_id, name
  LIMIT %(limit)s
),
found AS (
  SELECT json_build_array(json_build_array(job_id, name), tenant,
    json_build_object('result', result::text)) AS row
  FROM page
  WHERE (starts_with(result::text, '{"$enc"') AND (result ->> '$enc') <> ALL (%(fine)s::text[]))
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_build_array(job_id, name)::text FROM page ORDER BY job_id DESC, name DESC LIMIT 1),
  (SELECT coalesce(json_agg(row), '[]')::text FROM found)
