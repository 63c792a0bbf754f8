-- Adds what a worker has counted to the present span: primary key.
INSERT INTO leasehold_statistic AS known (span, at, queue, kind, fact, bucket, count, seconds)
SELECT 10, :now - :now % 10000000, value ->> 'queue', value ->> 'kind', value ->> 'fact',
  value ->> 'bucket', value ->> 'count', value ->> 'seconds'
FROM json_each(:counted)
WHERE true -- so that ON CONFLICT is not read as part of a join
ON CONFLICT (span, at, queue, kind, fact, bucket) DO UPDATE
SET count = known.count + excluded.count,
  seconds = known.seconds + excluded.seconds
