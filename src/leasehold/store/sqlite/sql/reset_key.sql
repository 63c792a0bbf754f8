-- Lets a key have its rule's limits again; a pause of it goes on. Primary key.
UPDATE leasehold_throttle
SET running = NULL, per_worker = NULL, rate = NULL, burst = NULL, set_by = NULL, updated_at = :now
WHERE name = :name
AND tenant = :tenant
AND (set_by IS NOT NULL OR coalesce(running, per_worker, rate) IS NOT NULL)
