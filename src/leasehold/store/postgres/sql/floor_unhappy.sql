-- Says where a look at so many ends, as find_unhappy goes: outcome_unhappy, backwards.
SELECT job_id
FROM leasehold.outcome
WHERE job_id < %(before)s
  AND state <> 'succeeded'
  -- a scalar: by a constant outcome_failure would serve too, out of order
  AND state = (SELECT %(state)s::leasehold.outcome_state)
ORDER BY job_id DESC
OFFSET %(count)s
LIMIT 1
