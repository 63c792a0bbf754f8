-- Lets waiting jobs go that have what they need, and ends those that never can; see migration 0011.
SELECT job_id, queue, is_cancelled, called
FROM leasehold.release_dependents(%(jobs)s::uuid[], %(recent)s::uuid[], %(skew_seconds)s)
