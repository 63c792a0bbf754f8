-- Lists leases whose end has passed, oldest first. Scans the leases: an index on `until` would cost
-- each claim, renewal and finish more than this look, twice a lease, on a table this small.
SELECT job_id, fence, until, lease_seconds, lapses
FROM leasehold_lease
WHERE until < :now
ORDER BY until, job_id
LIMIT :limit
