-- … and says so. Primary key.
INSERT INTO leasehold_dependent (job_id, tenant)
SELECT id, tenant
FROM leasehold_job
WHERE id = :id
ON CONFLICT (job_id) DO NOTHING
