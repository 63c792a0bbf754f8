-- Who of the living serves the queues of this worker, and has room? Reads the small worker table.
SELECT mine.value, other.id, other.running < other.slots
FROM leasehold_worker AS self
CROSS JOIN json_each(self.queues) AS mine
CROSS JOIN leasehold_worker AS other
WHERE self.id = :id
AND other.ended_at IS NULL
AND other.seen_at > :seen_since
AND EXISTS (SELECT 1 FROM json_each(other.queues) AS theirs WHERE theirs.value = mine.value)
ORDER BY other.id
