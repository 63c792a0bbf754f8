-- Has a batch members that have not ended, or nested batches? *_batch, leasehold_batch_parent.
SELECT
  EXISTS (SELECT 1 FROM leasehold_lease WHERE batch = :id)
  OR EXISTS (SELECT 1 FROM leasehold_ready WHERE batch = :id)
  OR EXISTS (SELECT 1 FROM leasehold_scheduled WHERE batch = :id)
  OR EXISTS (SELECT 1 FROM leasehold_waiting WHERE batch = :id)
  OR EXISTS (SELECT 1 FROM leasehold_parked WHERE batch = :id)
  OR EXISTS (SELECT 1 FROM leasehold_batch WHERE parent = :id AND ended_at IS NULL)
