-- Reads the clock, and in how many seconds the next slot comes that has not come yet: schedule_next.
SELECT moment AT TIME ZONE 'UTC',
  (
    SELECT extract(epoch FROM next_at - moment)::double precision
    FROM leasehold.schedule
    WHERE paused_at IS NULL
      AND next_at > moment
    ORDER BY next_at
    LIMIT 1
  )
FROM (SELECT clock_timestamp() + %(skew)s AS moment OFFSET 0) AS clock
