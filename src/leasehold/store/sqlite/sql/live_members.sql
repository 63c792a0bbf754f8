-- Lists members that have not ended and were not told to stop. *_batch.
SELECT job_id FROM leasehold_scheduled WHERE batch IN (SELECT value FROM json_each(:batches))
UNION ALL
SELECT job_id FROM leasehold_waiting WHERE batch IN (SELECT value FROM json_each(:batches))
UNION ALL
SELECT job_id FROM leasehold_ready WHERE batch IN (SELECT value FROM json_each(:batches))
UNION ALL
SELECT job_id FROM leasehold_parked WHERE batch IN (SELECT value FROM json_each(:batches))
UNION ALL
SELECT job_id
FROM leasehold_lease
WHERE batch IN (SELECT value FROM json_each(:batches))
AND NOT cancel_requested
LIMIT :limit
