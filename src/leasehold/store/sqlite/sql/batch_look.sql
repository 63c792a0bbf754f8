-- Is anything of a batch ready or parked? Reads one row at most of each. Indexes leasehold_ready_batch
-- and leasehold_parked_batch.
SELECT 1
WHERE EXISTS (SELECT 1 FROM leasehold_ready WHERE batch = :batch)
OR EXISTS (SELECT 1 FROM leasehold_parked WHERE batch = :batch)
