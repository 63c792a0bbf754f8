-- Deletes the oldest rows of a span: primary key, a part at a time.
WITH gone AS (
  DELETE FROM leasehold.depth
  WHERE ctid = ANY (
    ARRAY (
      SELECT ctid
      FROM leasehold.depth
      WHERE span = %(span)s
        AND at < %(skew)s + now() - make_interval(secs => %(kept)s)
      ORDER BY at
      LIMIT %(limit)s
      FOR UPDATE SKIP LOCKED
    )
  )
  RETURNING at
)
SELECT count(*) FROM gone
