-- Lets those go that are due and have a throttle or a share, into their lanes. Primary keys.
UPDATE leasehold_waiting
SET stage = '', lane = job.lane, share = coalesce(job.share, ''), cost = job.cost
FROM leasehold_job AS job
WHERE job.id = leasehold_waiting.job_id
AND leasehold_waiting.job_id IN (SELECT value FROM json_each(:ids))
AND leasehold_waiting.stage = '#'
AND job.lane IS NOT NULL
AND (job.run_at IS NULL OR job.run_at <= :now OR leasehold_waiting.attempt > 0)
