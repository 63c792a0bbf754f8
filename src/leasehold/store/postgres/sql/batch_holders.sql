-- Names the open transactions that may have added to a batch: only those lock rows of this table.
SELECT concat('pid ', activity.pid, ' ' || nullif(activity.application_name, ''), ', ', activity.state,
  ' for ', round(extract(epoch FROM now() - activity.xact_start)), ' s')
FROM pg_locks
JOIN pg_stat_activity AS activity ON activity.pid = pg_locks.pid
WHERE pg_locks.relation = 'leasehold.batch'::regclass
  AND pg_locks.mode = 'RowShareLock'
  AND activity.pid <> pg_backend_pid()
ORDER BY activity.xact_start
