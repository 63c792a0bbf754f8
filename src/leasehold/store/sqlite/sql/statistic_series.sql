-- Adds up what was counted in some ranges of time, in steps of so many microseconds: ranges of the primary key.
SELECT at - at % :step AS step, fact, bucket, sum(count), sum(seconds)
FROM json_each(:ranges) AS range
CROSS JOIN leasehold_statistic AS statistic ON statistic.span = range.value ->> 'span'
  AND statistic.at >= range.value ->> 'since'
  AND statistic.at < range.value ->> 'until'
WHERE (:queue IS NULL OR queue = :queue)
  AND (:kind IS NULL OR kind = :kind)
GROUP BY 1, fact, bucket
