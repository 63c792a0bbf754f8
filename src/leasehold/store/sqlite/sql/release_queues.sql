-- Which of these wait for others, and in which queues? Primary key.
SELECT waiting.job_id, waiting.queue
FROM json_each(:ids) AS listed
CROSS JOIN leasehold_waiting AS waiting ON waiting.job_id = listed.value
WHERE waiting.stage = '#'
