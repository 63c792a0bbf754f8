-- Whether any job has still to be settled, other than those for a later day. It walks over dead
-- rows, so it is asked only once the last job of all is settled.
SELECT EXISTS (SELECT FROM leasehold.ready)
  OR EXISTS (SELECT FROM leasehold.lease)
  OR EXISTS (SELECT FROM leasehold.parked)
  OR EXISTS (SELECT FROM leasehold.scheduled WHERE run_at < now() + interval '1 hour')
