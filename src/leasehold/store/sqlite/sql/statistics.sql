-- Adds up what was counted since a moment, by queue, kind and fact: a range of the primary key. Of a span
-- that had begun before, nothing is counted.
SELECT queue, kind, fact, bucket, sum(count), sum(seconds)
FROM leasehold_statistic
WHERE span IN (10, 60, 300, 3600)
  AND at >= :since
  AND (:facts IS NULL OR fact IN (SELECT value FROM json_each(:facts)))
GROUP BY queue, kind, fact, bucket
