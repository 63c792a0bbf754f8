-- Adds up what was counted since a moment, by queue, kind and fact: a range of the primary key. Of a span
-- that had begun before, nothing is counted.
SELECT queue, kind, fact, bucket, sum(count)::bigint, sum(seconds)
FROM leasehold.statistic
WHERE span IN (10, 60, 300, 3600)
  AND at >= %(since)s
  AND (%(facts)s::text[] IS NULL OR fact = ANY (%(facts)s))
GROUP BY queue, kind, fact, bucket
