-- Lets no lease have a number up to this one.
SELECT setval('leasehold.fence', greatest(last_value, %(least)s::bigint, 1))
FROM leasehold.fence
