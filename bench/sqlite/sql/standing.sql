-- Counts the jobs that have still to be settled.
SELECT (SELECT count(*) FROM leasehold_ready)
  + (SELECT count(*) FROM leasehold_lease)
  + (SELECT count(*) FROM leasehold_parked)
  + (SELECT count(*) FROM leasehold_scheduled)
