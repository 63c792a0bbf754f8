-- Adds what a worker has counted to the present span: primary key. All do so in one order, so that nobody
-- waits in a circle. Not worth a wait for the disk: a crash of the database may lose the last moments.
INSERT INTO leasehold.statistic AS known (span, at, queue, kind, fact, bucket, count, seconds)
SELECT 10, date_bin('10 seconds', %(skew)s + now(), 'epoch'), queue, kind, fact, bucket,
  sum(count), sum(seconds)
FROM jsonb_to_recordset(%(counted)s::jsonb) AS counted
  (queue text, kind text, fact text, bucket smallint, count bigint, seconds double precision)
WHERE (SELECT set_config('synchronous_commit', 'off', true)) = 'off'
GROUP BY queue, kind, fact, bucket
ORDER BY queue COLLATE "C", kind COLLATE "C", fact COLLATE "C", bucket
ON CONFLICT (span, at, queue, kind, fact, bucket) DO UPDATE
SET count = known.count + excluded.count,
  seconds = known.seconds + excluded.seconds
