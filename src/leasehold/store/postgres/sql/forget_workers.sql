-- Deletes workers that ended or fell silent over a month ago: nobody asks for their names any more.
DELETE FROM leasehold.worker
WHERE seen_at < %(skew)s + now() - interval '31 days'
