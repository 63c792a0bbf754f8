-- Lists leases whose end has passed. Takes nothing: a reclaim follows only if they stay so.
SELECT job_id, fence, (extract(epoch FROM until) * 1000000)::bigint::text, lease_seconds, lapses
FROM leasehold.lease
WHERE until < %(skew)s + now()
ORDER BY until
LIMIT %(limit)s
