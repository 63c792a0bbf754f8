-- Does what follows in the batches of jobs that have ended: primary keys; see migration 0010. A later
-- statement than the ends.
SELECT followed.batch, followed.verdict, followed.parent, followed.queue
FROM (
  SELECT ended.batch, bool_or(last.state = 'dead') AS has_dead
  FROM (
    SELECT job.id, job.batch
    FROM leasehold.job
    WHERE job.id = ANY (%(ended)s::uuid[])
      AND job.batch IS NOT NULL
    OFFSET 0
  ) AS ended
  LEFT JOIN LATERAL (
    SELECT outcome.state
    FROM leasehold.outcome
    WHERE outcome.job_id = ended.id
    ORDER BY outcome.attempt DESC
    LIMIT 1
  ) AS last ON true
  GROUP BY ended.batch
) AS asked
CROSS JOIN LATERAL leasehold.follow_batch(asked.batch, asked.has_dead, %(skew)s) AS followed
