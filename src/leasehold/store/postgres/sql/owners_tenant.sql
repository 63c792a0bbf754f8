-- Says which jobs are the tenant's, on a caller's connection that acts for it: primary key.
SELECT CAST(job.id AS text), job.tenant
FROM (SELECT set_config('leasehold.tenant', CAST(:tenant AS text), true) AS tenant OFFSET 0) AS told
CROSS JOIN LATERAL (
  SELECT id, tenant
  FROM leasehold.job
  WHERE id = ANY (CAST(string_to_array(CAST(:ids AS text), ',') AS uuid[]))
    AND job.tenant = told.tenant
  OFFSET 0
) AS job
