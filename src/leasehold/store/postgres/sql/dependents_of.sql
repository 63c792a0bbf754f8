-- Names the jobs that wait for one of these: primary keys.
SELECT DISTINCT waits.job_id
FROM unnest(%(ended)s::uuid[]) AS ended (id)
CROSS JOIN LATERAL (
  SELECT job_id FROM leasehold.dependency WHERE dependency.needs = ended.id OFFSET 0
) AS waits
CROSS JOIN LATERAL (
  SELECT FROM leasehold.dependent WHERE dependent.job_id = waits.job_id OFFSET 0
) AS still
