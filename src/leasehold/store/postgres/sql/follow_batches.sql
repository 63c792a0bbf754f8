-- Does what follows for batches by name: primary keys; see migration 0010.
SELECT followed.batch, followed.verdict, followed.parent, followed.queue
FROM unnest(%(batches)s::uuid[]) AS asked (batch)
CROSS JOIN LATERAL leasehold.follow_batch(asked.batch, %(has_dead)s::boolean, %(skew)s) AS followed
