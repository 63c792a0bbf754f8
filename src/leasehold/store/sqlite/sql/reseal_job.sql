-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key.
UPDATE leasehold_job
SET args = coalesce(:new_args, args)
WHERE id = :key_0
  AND (:old_args IS NULL OR args = :old_args)
