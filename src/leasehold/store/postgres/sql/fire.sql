-- Moves a schedule on and makes its jobs, both or neither; see migration 0008.
SELECT leasehold.fire(%(tenant)s, %(name)s, %(version)s, %(next_at)s::timestamptz, %(following)s::timestamptz,
  %(slot)s::timestamptz, %(jobs)s, %(last_job)s::uuid, %(is_by_hand)s, %(skew_seconds)s)
