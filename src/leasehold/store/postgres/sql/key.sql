-- Reads one key as people see it, at one moment: primary keys.
SELECT held.key, held.tenant, held.job_id, record.state,
  CASE WHEN leasehold.place_of(held.next) IS NOT NULL THEN held.next END,
  held.taken_at, coalesce(leasehold.success_of(held.job_id), held.succeeded_at)
FROM leasehold.key AS held
LEFT JOIN leasehold.record ON record.id = held.job_id
WHERE held.tenant = %(tenant)s
  AND held.key = %(key)s
