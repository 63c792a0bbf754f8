-- Lets a new limit count what runs already. Reads the small lease table.
UPDATE leasehold_lease
SET gate = :name
WHERE gate IS NULL
AND (SELECT queue FROM leasehold_job WHERE id = leasehold_lease.job_id) = :name
