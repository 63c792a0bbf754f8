-- Looks at a page of rows, in the order of their primary key, and returns those that are encrypted with
-- other keys than the fine ones: how many it saw, where it ended, and what it found, as JSON.
WITH page AS MATERIALIZED (
  SELECT tenant, name, value
  FROM leasehold.credential
  WHERE (tenant, name) > (%(after_0)s::text, %(after_1)s::text)
  ORDER BY tenant, name
  LIMIT %(limit)s
),
found AS (
  SELECT json_build_array(json_build_array(tenant, name), tenant,
    json_build_object('value', value::text)) AS row
  FROM page
  WHERE (position('$enc:' IN value) > 0
    AND substring(value FROM '\$enc:([A-Za-z0-9._-]+):') <> ALL (%(fine)s::text[]))
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_build_array(tenant, name)::text FROM page ORDER BY tenant DESC, name DESC LIMIT 1),
  (SELECT coalesce(json_agg(row), '[]')::text FROM found)
