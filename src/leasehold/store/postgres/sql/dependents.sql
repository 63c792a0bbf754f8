-- Names jobs that were made to wait for this one, of its tenant: primary keys.
SELECT waits.job_id
FROM leasehold.job
CROSS JOIN LATERAL (
  SELECT dependency.job_id
  FROM leasehold.dependency
  WHERE dependency.needs = job.id
    AND dependency.tenant = job.tenant
  ORDER BY dependency.job_id
  LIMIT %(limit)s
) AS waits
WHERE job.id = %(job_id)s
ORDER BY waits.job_id
