-- Adds up what was counted in some ranges of time, in steps of so many seconds: ranges of the primary key.
SELECT date_bin(make_interval(secs => %(step_seconds)s), at, 'epoch') AS step, fact, bucket,
  sum(count)::bigint, sum(seconds)
FROM jsonb_to_recordset(%(ranges)s::jsonb) AS range (span integer, since timestamptz, until timestamptz)
CROSS JOIN LATERAL (
  SELECT *
  FROM leasehold.statistic
  WHERE statistic.span = range.span
    AND statistic.at >= range.since
    AND statistic.at < range.until
    AND (%(queue)s::text IS NULL OR statistic.queue = %(queue)s)
    AND (%(kind)s::text IS NULL OR statistic.kind = %(kind)s)
  OFFSET 0
) AS statistic
GROUP BY step, fact, bucket
