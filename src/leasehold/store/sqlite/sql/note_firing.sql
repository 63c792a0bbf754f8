-- Writes down which job stands for the last slot. Primary key.
UPDATE leasehold_schedule
SET last_job = :last_job
WHERE tenant = :tenant
AND name = :name
