-- Writes jobs as a bulk enqueue would have, a thousand to a moment; the store's triggers make them
-- ready or scheduled. Ids are UUIDv7 in the order of the numbers.
WITH RECURSIVE numbered (n) AS (
  SELECT :first
  UNION ALL
  SELECT n + 1
  FROM numbered
  WHERE n + 1 < :last
),
timed (n, milliseconds, moment) AS (
  SELECT
    n,
    :now / 1000 - :count / 100 - 100 + n / 100,
    :now - (:count / 1000 - n / 1000) * 10000 - 100000
  FROM numbered
)
INSERT INTO leasehold_job
  (id, tenant, queue, kind, args, priority, max_attempts, timeout_seconds, created_at, run_at)
SELECT
  printf('%08x-%04x-7%03x-8%03x-%012x', milliseconds >> 16, milliseconds & 65535, n % 100 * 40,
    abs(random() % 4096), abs(random() % 281474976710656)),
  :tenant,
  :queues ->> (n % json_array_length(:queues)),
  :kind,
  printf('{"n":%d,"subject":"hello","to":"user%06d@example.com"}', n, n),
  :priority + n / json_array_length(:queues) % :priorities,
  5, 3600.0, moment, :run_at
FROM timed
