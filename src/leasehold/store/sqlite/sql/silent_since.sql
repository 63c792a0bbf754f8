-- Says when any worker was last seen, one that ended too, or the tables were made. Few rows.
SELECT coalesce(
  (SELECT max(max(seen_at, coalesce(ended_at, 0))) FROM leasehold_worker),
  (SELECT max(applied_at) FROM leasehold_migration)
)
