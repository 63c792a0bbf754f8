-- Says of attempts whose leases were taken back for a move that nobody here settled them. Primary key.
UPDATE leasehold_outcome
SET worker = NULL, error = coalesce(error, 'taken back: the queue moved to another database')
WHERE (job_id, fence) IN (SELECT value ->> 0, value ->> 1 FROM json_each(:leases))
