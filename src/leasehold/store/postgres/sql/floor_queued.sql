-- Says where a look at so many of each table ends, as find_queued goes: their indexes on job_id, backwards.
SELECT max(job_id::text)::uuid
FROM (
  (SELECT job_id FROM leasehold.ready WHERE job_id < %(before)s ORDER BY job_id DESC OFFSET %(count)s LIMIT 1)
  UNION ALL
  (SELECT job_id FROM leasehold.scheduled WHERE job_id < %(before)s ORDER BY job_id DESC OFFSET %(count)s
   LIMIT 1)
  UNION ALL
  (SELECT job_id FROM leasehold.parked WHERE job_id < %(before)s ORDER BY job_id DESC OFFSET %(count)s LIMIT 1)
  UNION ALL
  (SELECT job_id FROM leasehold.waiting WHERE job_id < %(before)s ORDER BY job_id DESC OFFSET %(count)s LIMIT 1)
) AS place
HAVING count(*) > 0
