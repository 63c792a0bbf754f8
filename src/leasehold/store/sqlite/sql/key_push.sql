-- Puts off a job that waits for its time and was never tried. Primary key.
UPDATE leasehold_scheduled
SET run_at = :run_at
WHERE job_id = :id
AND attempt = 0
