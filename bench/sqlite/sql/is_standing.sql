-- Whether one job has still to be settled.
SELECT EXISTS (SELECT 1 FROM leasehold_ready WHERE job_id = :job_id)
  OR EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = :job_id)
  OR EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = :job_id)
  OR EXISTS (SELECT 1 FROM leasehold_scheduled WHERE job_id = :job_id)
