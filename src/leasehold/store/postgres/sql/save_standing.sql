-- Saves in a caller's transaction for leases that all have to stand; see migration 0009.
SELECT leasehold.save(CAST(:saves AS text), CAST(:worker AS bigint),
  CAST(:skew_seconds AS double precision), true, CAST(:idle_seconds AS double precision))
