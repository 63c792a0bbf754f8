-- Looks at a page of rows, in the order of their primary key, and returns those that are encrypted with
-- other keys than the fine ones: how many it saw, where it ended, and what it found, as JSON.
WITH page AS MATERIALIZED (
  SELECT job_id, attempt, tenant, result, error, traceback
  FROM leasehold.outcome
  WHERE (job_id, attempt) > (%(after_0)s::uuid, %(after_1)s::integer)
  ORDER BY job_id, attempt
  LIMIT %(limit)s
),
found AS (
  SELECT json_build_array(json_build_array(job_id, attempt), tenant,
    json_build_object('result', result::text, 'error', error::text, 'traceback', traceback::text)) AS row
  FROM page
  WHERE (starts_with(result::text, '{"$enc"') AND (result ->> '$enc') <> ALL (%(fine)s::text[]))
    OR (position('$enc:' IN error) > 0
    AND substring(error FROM '\$enc:([A-Za-z0-9._-]+):') <> ALL (%(fine)s::text[]))
    OR (position('$enc:' IN traceback) > 0
    AND substring(traceback FROM '\$enc:([A-Za-z0-9._-]+):') <> ALL (%(fine)s::text[]))
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_build_array(job_id, attempt)::text FROM page ORDER BY job_id DESC, attempt DESC LIMIT 1),
  (SELECT coalesce(json_agg(row), '[]')::text FROM found)
