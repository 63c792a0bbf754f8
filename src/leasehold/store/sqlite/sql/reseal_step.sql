-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key.
UPDATE leasehold_step
SET result = coalesce(:new_result, result)
WHERE job_id = :key_0
  AND name = :key_1
  AND (:old_result IS NULL OR result = :old_result)
