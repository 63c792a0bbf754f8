-- What one enqueue writes, and nothing else: the job row, and its ready row by the store's trigger.
INSERT INTO leasehold_job
  (id, tenant, queue, kind, args, priority, max_attempts, timeout_seconds, lane, batch, created_by,
   created_at, run_at)
VALUES (:id, '', :queue, :kind, :args, 0, 5, 3600.0, NULL, NULL, NULL, :now, NULL)
