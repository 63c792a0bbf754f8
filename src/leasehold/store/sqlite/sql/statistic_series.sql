-- Adds up what was counted since a moment in steps of so many microseconds: a range of the primary key.
SELECT at - at % :step AS step, fact, bucket, sum(count), sum(seconds)
FROM leasehold_statistic
WHERE span IN (10, 60, 300, 3600)
  AND at >= :since
  AND (:queue IS NULL OR queue = :queue)
  AND (:kind IS NULL OR kind = :kind)
GROUP BY 1, fact, bucket
