-- Whether any of these jobs has still to be settled; four look-ups each, however many dead rows there are,
-- and none after the first that has.
SELECT EXISTS (
  SELECT
  FROM unnest(%(job_ids)s::uuid[]) AS asked (job_id)
  WHERE EXISTS (SELECT FROM leasehold.ready WHERE ready.job_id = asked.job_id)
    OR EXISTS (SELECT FROM leasehold.waiting WHERE waiting.job_id = asked.job_id)
    OR EXISTS (SELECT FROM leasehold.lease WHERE lease.job_id = asked.job_id)
    OR EXISTS (SELECT FROM leasehold.scheduled WHERE scheduled.job_id = asked.job_id)
)
