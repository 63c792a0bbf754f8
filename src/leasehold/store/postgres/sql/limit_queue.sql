-- Sets or, with NULL, ends the limit of a queue: primary key. From the commit on no claim takes of it but
-- through its gate; one that is new may have to count leases without.
WITH said AS (
  SELECT running_limit FROM leasehold.queue WHERE name = %(name)s
),
written AS (
  INSERT INTO leasehold.queue (name, running_limit, limited_by, unmarked_since, updated_at)
  VALUES (%(name)s, %(running)s::integer, %(by)s::text,
    CASE WHEN %(running)s::integer IS NOT NULL THEN clock_timestamp() END, %(skew)s + now())
  ON CONFLICT (name) DO UPDATE
  SET running_limit = excluded.running_limit,
    limited_by = CASE WHEN excluded.running_limit IS NOT NULL THEN excluded.limited_by END,
    unmarked_since = CASE
      WHEN excluded.running_limit IS NULL THEN NULL
      WHEN queue.running_limit IS NULL THEN excluded.unmarked_since
      ELSE queue.unmarked_since
    END,
    updated_at = excluded.updated_at
)
SELECT 1
FROM said
WHERE running_limit IS NOT NULL
