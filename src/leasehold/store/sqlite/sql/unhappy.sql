-- Lists the newest attempts that did not end well, and what became of their jobs: outcome_failure,
-- backwards, and primary keys.
SELECT page.job_id, job.kind, job.queue, substr(page.error, 1, 500), page.finished_at,
  page.state = 'dead' AND is_last AND NOT is_waiting AND NOT is_running,
  is_last AND is_waiting
FROM (
  SELECT job_id, state, error, finished_at,
    NOT EXISTS (
      SELECT 1
      FROM leasehold_outcome AS newer
      WHERE newer.job_id = outcome.job_id
        AND newer.attempt > outcome.attempt
    ) AS is_last,
    EXISTS (SELECT 1 FROM leasehold_scheduled AS later WHERE later.job_id = outcome.job_id)
      OR EXISTS (SELECT 1 FROM leasehold_ready AS ready WHERE ready.job_id = outcome.job_id)
      OR EXISTS (SELECT 1 FROM leasehold_waiting AS waiting WHERE waiting.job_id = outcome.job_id)
      OR EXISTS (SELECT 1 FROM leasehold_parked AS parked WHERE parked.job_id = outcome.job_id)
      AS is_waiting,
    EXISTS (SELECT 1 FROM leasehold_lease AS lease WHERE lease.job_id = outcome.job_id) AS is_running
  FROM leasehold_outcome AS outcome
  WHERE (outcome.state = 'failed' OR outcome.state = 'dead' OR outcome.state = 'lapsed')
    AND outcome.finished_at >= :since
  ORDER BY outcome.finished_at DESC
  LIMIT :limit
) AS page
CROSS JOIN leasehold_job AS job ON job.id = page.job_id
ORDER BY page.finished_at DESC
