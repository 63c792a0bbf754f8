-- Sizes of our tables, the largest first, out of the catalogues: no row of a job is read.
SELECT s.relname,
  pg_table_size(s.relid),
  pg_indexes_size(s.relid),
  greatest(c.reltuples, s.n_live_tup)::bigint,
  s.n_dead_tup
FROM pg_stat_user_tables AS s
JOIN pg_class AS c ON c.oid = s.relid
WHERE s.schemaname = 'leasehold'
ORDER BY pg_total_relation_size(s.relid) DESC, s.relname
