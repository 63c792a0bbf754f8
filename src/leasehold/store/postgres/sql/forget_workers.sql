-- Deletes workers that ended over a month ago: nobody asks for their names any more.
DELETE FROM leasehold.worker
WHERE ended_at < %(skew)s + now() - interval '31 days'
