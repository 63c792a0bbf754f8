-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key.
UPDATE leasehold_schedule
SET job = coalesce(:new_job, job)
WHERE tenant = :key_0
  AND name = :key_1
  AND (:old_job IS NULL OR job = :old_job)
