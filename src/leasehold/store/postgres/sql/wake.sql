-- Tells listening workers that jobs came: "count:turn:queue".
SELECT pg_notify('leasehold', $1)
