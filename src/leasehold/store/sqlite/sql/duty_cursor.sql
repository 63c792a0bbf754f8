-- Reads how far something is that only one worker does at a time: primary key.
SELECT cursor
FROM leasehold_duty
WHERE name = :name
