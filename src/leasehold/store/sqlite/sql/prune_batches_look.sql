-- Finds the next ended batch that may be past its time: primary key. One that another, open batch counts
-- is kept.
SELECT id, ended_at
FROM leasehold_batch AS batch
WHERE id >= :after
AND (id > :after OR :is_sure)
AND id < :before
AND ended_at < :ended_before
AND NOT EXISTS (
  SELECT 1 FROM leasehold_batch AS above WHERE above.id = batch.parent AND above.ended_at IS NULL
)
ORDER BY id
LIMIT 1
