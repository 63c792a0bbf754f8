-- Reads the jobs that this one was made to wait for, in the order in which they were named; deleted
-- ones have nothing but their ids: primary keys.
SELECT needed.id::uuid AS id, record.kind, record.state, record.result, record.error,
  coalesce(record.tenant, '') AS tenant
FROM leasehold.job
CROSS JOIN LATERAL json_array_elements_text(job.needs -> 'jobs') WITH ORDINALITY AS needed (id, number)
LEFT JOIN LATERAL (
  SELECT *
  FROM leasehold.record
  WHERE record.id = needed.id::uuid
    AND record.tenant = job.tenant -- whatever somebody has written there by hand
  OFFSET 0
) AS record ON true
WHERE job.id = %(job_id)s
ORDER BY needed.number
