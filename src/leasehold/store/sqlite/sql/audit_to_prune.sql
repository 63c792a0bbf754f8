-- Says how many rows of the audit record are older than this, and where they end: all are read, as it is
-- asked for by hand and seldom.
SELECT count(*), max(id)
FROM leasehold_audit
WHERE at < :before
