-- Says until when a queue is paused, why and by whom, if it is: primary key.
SELECT paused_until, pause_reason, paused_by
FROM leasehold_queue
WHERE name = :queue
AND paused_until > :now
