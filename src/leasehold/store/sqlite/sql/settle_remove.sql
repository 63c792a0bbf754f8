-- Ends the leases. Primary key.
-- Fenced: the row that this deletes is the right to have written the outcome.
DELETE FROM leasehold_lease
WHERE (job_id, fence) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:endings))
