-- Ends a waiting job without a lease, as an attempt of its own. Primary key.
INSERT INTO leasehold_outcome
  (job_id, attempt, state, failures, lapses, finished_at, tenant, error)
VALUES
  (:id, :attempt + 1, 'cancelled', :failures, :lapses, :now, :tenant, :error)
