-- Adds up all that was ever counted: two ranges of the primary key. Coarser spans are in that of 0.
SELECT queue, kind, fact, bucket, sum(count), sum(seconds)
FROM leasehold_statistic
WHERE span IN (0, 10)
GROUP BY queue, kind, fact, bucket
ORDER BY queue, kind, fact, bucket
