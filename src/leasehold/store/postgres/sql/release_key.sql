-- Forgets the key of a job that is deleted; see migration 0005. Before the job's own lock: keys are
-- locked first.
SELECT leasehold.release_key(%(job_id)s)
