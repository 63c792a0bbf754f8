-- Whether any of these jobs has still to be settled; none is asked for after the first that has.
SELECT EXISTS (
  SELECT 1
  FROM json_each(:job_ids) AS asked
  WHERE EXISTS (SELECT 1 FROM leasehold_ready WHERE job_id = asked.value)
    OR EXISTS (SELECT 1 FROM leasehold_waiting WHERE job_id = asked.value)
    OR EXISTS (SELECT 1 FROM leasehold_lease WHERE job_id = asked.value)
    OR EXISTS (SELECT 1 FROM leasehold_scheduled WHERE job_id = asked.value)
)
