-- Adds up what was counted in some ranges of time, by queue, kind and fact: ranges of the primary key.
SELECT queue, kind, fact, bucket, sum(count)::bigint, sum(seconds)
FROM jsonb_to_recordset(%(ranges)s::jsonb) AS range (span integer, since timestamptz, until timestamptz)
CROSS JOIN LATERAL (
  SELECT *
  FROM leasehold.statistic
  WHERE statistic.span = range.span
    AND statistic.at >= range.since
    AND statistic.at < range.until
    AND (%(facts)s::text[] IS NULL OR statistic.fact = ANY (%(facts)s))
  OFFSET 0
) AS statistic
GROUP BY queue, kind, fact, bucket
