-- Writes jobs as `enqueue` does, on a caller's connection that acts for a tenant from here on until its
-- transaction ends. One statement: a caller may commit each of them.
SELECT written.existing
FROM (SELECT set_config('leasehold.tenant', CAST(:tenant AS text), true) AS tenant OFFSET 0) AS told
CROSS JOIN LATERAL leasehold.enqueue_many(
  CASE WHEN told.tenant IS NOT NULL THEN CAST(:jobs AS text) END,
  CAST(:skew_seconds AS double precision)) AS written
