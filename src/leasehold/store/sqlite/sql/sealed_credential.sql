-- Looks at a page of rows, in the order of their primary key, and returns those that are encrypted with
-- other keys than the fine ones: how many it saw, where it ended, and what it found, as JSON.
WITH page AS MATERIALIZED (
  SELECT tenant, name, value
  FROM leasehold_credential
  WHERE (tenant, name) > (:after_0, :after_1)
  ORDER BY tenant, name
  LIMIT :limit
)
SELECT
  (SELECT count(*) FROM page),
  (SELECT json_array(tenant, name) FROM page ORDER BY tenant DESC, name DESC LIMIT 1),
  (
    SELECT json_group_array(json_array(json_array(tenant, name), tenant,
      json_object('value', value)))
    FROM page
    WHERE (instr(page.value, '$enc:') > 0 AND NOT EXISTS (
        SELECT 1 FROM json_each(:fine) WHERE instr(page.value, '$enc:' || json_each.value || ':') > 0
      ))
  )
