-- Gives a key back to a job that is retried, or raises while another live job has it; see migration
-- 0005. Before the job's own lock: keys are locked first.
SELECT leasehold.take_key(%(job_id)s, %(skew_seconds)s)
