-- Lists batches, newest first, and counts their members: primary key, then as get_batch.
SELECT page.id, page.tenant, page.name, page.parent, page.meta::jsonb, page.status, page.round,
  counts.total, counts.queued, counts.blocked, counts.running, counts.failed, counts.succeeded,
  counts.dead, counts.cancelled, counts.processed, counts.total_units, page.created_by,
  page.created_at, page.sealed_at, page.failed_at, page.cancelled_at, page.cancelled_by, page.ended_at
FROM (
  SELECT batch.*, leasehold.batch_status(sealed_at, cancelled_at, ended_at) AS status
  FROM leasehold.batch
  WHERE id < %(before)s
    AND (%(tenant)s::text IS NULL OR tenant = %(tenant)s)
    AND (%(name)s::text IS NULL OR name = %(name)s)
    AND (%(parent)s::uuid IS NULL OR parent = %(parent)s)
    AND (%(status)s::text IS NULL
      OR leasehold.batch_status(sealed_at, cancelled_at, ended_at) = %(status)s)
  ORDER BY id DESC
  LIMIT %(limit)s
) AS page
CROSS JOIN LATERAL leasehold.batch_counts(page.id) AS counts
ORDER BY page.id DESC
