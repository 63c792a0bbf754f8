-- Says of which queue and kind jobs are: primary key.
SELECT id, queue, kind FROM leasehold.job WHERE id = ANY (%(job_ids)s)
