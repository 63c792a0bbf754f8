-- Writes jobs of which some have a key, all or none, and tells of those that were not simply written;
-- see migration 0006.
SELECT asked, standing, verdict, other, until
FROM leasehold.enqueue_keyed(CAST(:jobs AS text), CAST(:skew_seconds AS double precision))
