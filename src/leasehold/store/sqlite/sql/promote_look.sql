-- When is the next job due? Index leasehold_scheduled_due.
SELECT min(run_at)
FROM leasehold_scheduled
