-- Whether any job has still to be settled, other than those for a later day.
SELECT EXISTS (SELECT 1 FROM leasehold_ready)
  OR EXISTS (SELECT 1 FROM leasehold_lease)
  OR EXISTS (SELECT 1 FROM leasehold_parked)
  OR EXISTS (SELECT 1 FROM leasehold_scheduled WHERE run_at < (unixepoch() + 3600) * 1000000)
