-- serves code from 1
-- Limits of queues: how many of a queue's jobs may run at once, in all workers. See ARCHITECTURE.md.

ALTER TABLE leasehold_queue ADD running_limit INTEGER CHECK (running_limit >= 0);
ALTER TABLE leasehold_queue ADD limited_by TEXT;
-- Set on PostgreSQL only: here the write lock lets a limit count all that runs at once.
ALTER TABLE leasehold_queue ADD unmarked_since INTEGER;

-- The queue whose limit this lease counts for. NULL where there was none: nobody else pays for the index.
ALTER TABLE leasehold_lease ADD gate TEXT;
CREATE INDEX leasehold_lease_gate ON leasehold_lease (gate) WHERE gate IS NOT NULL;
