-- Goes on with a duty, if it is still this worker's. Primary key.
UPDATE leasehold_duty
SET until = :until, cursor = :cursor
WHERE name = :name
AND worker = :worker
