-- Says how many seconds ago any worker was seen, one that ended too, or the tables were made. Few rows.
SELECT greatest(0, extract(epoch FROM %(skew)s + now() - coalesce(
  (SELECT max(greatest(worker.seen_at, worker.ended_at)) FROM leasehold.worker),
  (SELECT max(migration.applied_at) FROM leasehold.migration)
)))::double precision
