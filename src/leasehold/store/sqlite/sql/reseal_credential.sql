-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key.
UPDATE leasehold_credential
SET value = coalesce(:new_value, value)
WHERE tenant = :key_0
  AND name = :key_1
  AND (:old_value IS NULL OR value = :old_value)
