-- Counts the jobs that died lately, by queue, up to a limit: leasehold_outcome_dead, backwards.
SELECT job.queue, count(*)
FROM (
  SELECT job_id
  FROM leasehold_outcome INDEXED BY leasehold_outcome_dead
  WHERE state = 'dead'
    AND finished_at > :since
  ORDER BY finished_at DESC
  LIMIT :limit
) AS gone
CROSS JOIN leasehold_job AS job ON job.id = gone.job_id
GROUP BY job.queue
ORDER BY job.queue
