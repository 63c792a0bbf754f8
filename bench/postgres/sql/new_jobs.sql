-- Writes jobs as a bulk enqueue would have, a thousand to a moment, and leaves them in a temporary
-- table for the statement that gives them their state. Ids are UUIDv7 in the order of the numbers.
CREATE TEMPORARY TABLE written ON COMMIT DROP AS
WITH numbered AS (
  SELECT
    n,
    floor(extract(epoch FROM now()) * 1000)::bigint - %(count)s / 100 - 100 + n / 100 AS milliseconds
  FROM generate_series(0, %(count)s::bigint - 1) AS n
)
SELECT
  n,
  (lpad(to_hex(milliseconds), 12, '0') || '7' || lpad(to_hex(n %% 100 * 40), 3, '0') || '8'
    || substr(md5(random()::text), 1, 15))::uuid AS id,
  %(tenant)s::text AS tenant,
  (%(queues)s::text[])[1 + n %% cardinality(%(queues)s::text[])] AS queue,
  %(kind)s::text AS kind,
  (%(priority)s + n / cardinality(%(queues)s::text[]) %% %(priorities)s)::smallint AS priority,
  now() - make_interval(secs => (%(count)s / 1000 - n / 1000) * 0.01 + 0.1) AS created_at
FROM numbered
