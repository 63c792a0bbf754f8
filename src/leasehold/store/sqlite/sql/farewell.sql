-- Strikes a worker off; its name stays for the history. Primary key.
UPDATE leasehold_worker
SET running = 0, ended_at = :now
WHERE id = :id
AND ended_at IS NULL
