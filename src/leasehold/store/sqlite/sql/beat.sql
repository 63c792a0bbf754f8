-- Shows that a worker is there; one that was struck off by mistake is back. Primary key.
UPDATE leasehold_worker
SET running = :running, seen_at = :now, ended_at = NULL
WHERE id = :id
