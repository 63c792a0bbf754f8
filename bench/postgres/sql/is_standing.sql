-- Whether one job has still to be settled; four look-ups, however many dead rows there are.
SELECT EXISTS (SELECT FROM leasehold.ready WHERE job_id = %(job_id)s)
  OR EXISTS (SELECT FROM leasehold.waiting WHERE job_id = %(job_id)s)
  OR EXISTS (SELECT FROM leasehold.lease WHERE job_id = %(job_id)s)
  OR EXISTS (SELECT FROM leasehold.scheduled WHERE job_id = %(job_id)s)
