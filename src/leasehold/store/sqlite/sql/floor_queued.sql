-- Says where a look at so many of each table ends, as find_queued goes: their indexes on job_id, backwards.
SELECT max(job_id)
FROM (
  SELECT (SELECT job_id FROM leasehold_ready WHERE job_id < :before ORDER BY job_id DESC LIMIT 1 OFFSET :count)
    AS job_id
  UNION ALL
  SELECT (SELECT job_id FROM leasehold_scheduled WHERE job_id < :before ORDER BY job_id DESC
    LIMIT 1 OFFSET :count)
  UNION ALL
  SELECT (SELECT job_id FROM leasehold_parked WHERE job_id < :before ORDER BY job_id DESC
    LIMIT 1 OFFSET :count)
  UNION ALL
  SELECT (SELECT job_id FROM leasehold_waiting WHERE job_id < :before ORDER BY job_id DESC
    LIMIT 1 OFFSET :count)
)
WHERE job_id IS NOT NULL
