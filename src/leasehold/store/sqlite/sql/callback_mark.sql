-- Marks a job that was made anew: it will end once more. Primary keys.
INSERT INTO leasehold_callback (job_id, tenant)
SELECT id, tenant
FROM leasehold_job
WHERE id = :id
AND on_end IS NOT NULL
ON CONFLICT (job_id) DO NOTHING
