-- Which jobs wait for one of these? Primary keys.
SELECT waits.job_id
FROM json_each(:ended) AS ended
CROSS JOIN leasehold_dependency AS waits ON waits.needs = ended.value
CROSS JOIN leasehold_dependent AS still ON still.job_id = waits.job_id
