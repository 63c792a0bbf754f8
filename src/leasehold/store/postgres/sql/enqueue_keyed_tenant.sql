-- Writes jobs as `enqueue_keyed` does, on a caller's connection that acts for a tenant from here on until
-- its transaction ends. One statement: a caller may commit each of them.
SELECT written.*
FROM (SELECT set_config('leasehold.tenant', CAST(:tenant AS text), true) AS tenant OFFSET 0) AS told
CROSS JOIN LATERAL leasehold.enqueue_keyed(
  CASE WHEN told.tenant IS NOT NULL THEN CAST(:jobs AS text) END,
  CAST(:skew_seconds AS double precision)) AS written
