-- Takes in how long attempts of a kind took, by the weight of what it rests on. Primary key.
UPDATE leasehold_task
SET typical_seconds = coalesce(typical_seconds + (:seconds - typical_seconds) * :weight, :seconds)
WHERE kind = :kind
