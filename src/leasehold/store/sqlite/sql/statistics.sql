-- Adds up what was counted in some ranges of time, by queue, kind and fact: ranges of the primary key.
SELECT queue, kind, fact, bucket, sum(count), sum(seconds)
FROM json_each(:ranges) AS range
CROSS JOIN leasehold_statistic AS statistic ON statistic.span = range.value ->> 'span'
  AND statistic.at >= range.value ->> 'since'
  AND statistic.at < range.value ->> 'until'
WHERE :facts IS NULL OR fact IN (SELECT value FROM json_each(:facts))
GROUP BY queue, kind, fact, bucket
