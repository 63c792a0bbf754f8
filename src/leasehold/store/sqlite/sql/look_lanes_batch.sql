-- Lists the lanes in which a batch has jobs, of these queues and stages, each with its first job's age
-- and cost. Index leasehold_waiting_batch; sorts the places of that batch.
SELECT place, min(created_at), coalesce(cost, 1)
FROM leasehold_waiting
WHERE batch = :batch
AND queue || char(31) || iif(stage LIKE '@%', '@', stage) IN (SELECT value FROM json_each(:heads))
GROUP BY place
