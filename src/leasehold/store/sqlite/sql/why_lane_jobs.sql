-- Lists the first few jobs that run of a throttle's key, and counts all: index leasehold_lease_lane.
-- Sorts them: there are no more than the key may run.
SELECT job_id, count(*) OVER ()
FROM leasehold_lease
WHERE lane = :lane
AND lane <> '' -- the index is on these
AND NOT shares_slot
ORDER BY claimed_at, job_id
LIMIT :most
