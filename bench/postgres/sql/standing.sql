-- Counts the jobs that have still to be settled.
SELECT (SELECT count(*) FROM leasehold.ready)
  + (SELECT count(*) FROM leasehold.lease)
  + (SELECT count(*) FROM leasehold.parked)
  + (SELECT count(*) FROM leasehold.scheduled)
