-- Which keys have somebody waiting behind a job that runs no more, or is yet to be told to stop?
-- leasehold_key_next.
SELECT
  held.tenant, held.key, held.job_id, held.next,
  EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = held.next AND stage = '#'),
  EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = held.job_id)
FROM leasehold_key AS held
WHERE held.next IS NOT NULL
AND NOT EXISTS (
  SELECT 1
  FROM leasehold_lease AS lease
  WHERE lease.job_id = held.job_id
  AND (lease.cancel_requested OR NOT held.is_urgent)
)
LIMIT :limit
