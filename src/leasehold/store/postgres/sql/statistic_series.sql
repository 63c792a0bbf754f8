-- Adds up what was counted since a moment in steps of so many seconds: a range of the primary key.
SELECT date_bin(make_interval(secs => %(step_seconds)s), at, 'epoch') AS step, fact, bucket,
  sum(count)::bigint, sum(seconds)
FROM leasehold.statistic
WHERE span IN (10, 60, 300, 3600)
  AND at >= %(since)s
  AND (%(queue)s::text IS NULL OR queue = %(queue)s)
  AND (%(kind)s::text IS NULL OR kind = %(kind)s)
GROUP BY step, fact, bucket
