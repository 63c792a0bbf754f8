-- Says where a look at so many ends, as find_unhappy goes. leasehold_outcome_unhappy, backwards.
SELECT job_id
FROM leasehold_outcome
WHERE job_id < :before
  AND state <> 'succeeded'
  AND state = :state
ORDER BY job_id DESC
LIMIT 1 OFFSET :count
