-- Writes jobs, all or none, and names the ids that stood there already; see migration 0003.
SELECT existing
FROM leasehold.enqueue_many(CAST(:jobs AS text), CAST(:skew_seconds AS double precision))
