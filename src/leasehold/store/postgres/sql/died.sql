-- Counts the jobs that died lately, by queue, up to a limit: outcome_dead, backwards, and primary keys.
SELECT job.queue, count(*)
FROM (
  SELECT job_id
  FROM leasehold.outcome
  WHERE outcome.state = 'dead'
    AND outcome.finished_at > %(skew)s + now() - make_interval(secs => %(within_seconds)s)
  ORDER BY outcome.finished_at DESC
  LIMIT %(limit)s
) AS outcome
CROSS JOIN LATERAL (SELECT queue FROM leasehold.job WHERE job.id = outcome.job_id OFFSET 0) AS job
GROUP BY job.queue
ORDER BY job.queue
