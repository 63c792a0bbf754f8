-- When does the next slot come, behind a moment? Index leasehold_schedule_next.
SELECT next_at
FROM leasehold_schedule
WHERE paused_at IS NULL
AND next_at > :after
ORDER BY next_at
LIMIT 1
