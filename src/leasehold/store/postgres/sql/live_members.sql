-- Lists members that have not ended and were not told to stop: *_batch.
SELECT job_id FROM leasehold.scheduled WHERE batch = ANY (%(batches)s::uuid[])
UNION ALL
SELECT job_id FROM leasehold.waiting WHERE batch = ANY (%(batches)s::uuid[])
UNION ALL
SELECT job_id FROM leasehold.ready WHERE batch = ANY (%(batches)s::uuid[])
UNION ALL
SELECT job_id FROM leasehold.parked WHERE batch = ANY (%(batches)s::uuid[])
UNION ALL
SELECT job_id FROM leasehold.lease WHERE batch = ANY (%(batches)s::uuid[]) AND NOT cancel_requested
LIMIT %(limit)s
