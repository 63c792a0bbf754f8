-- Is there anything to tell, muted or not? Few rows.
SELECT 1
FROM leasehold_alert
WHERE told_at IS NULL
  AND next_at <= :now
LIMIT 1
