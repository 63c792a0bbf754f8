-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key.
UPDATE leasehold_outcome
SET result = coalesce(:new_result, result),
  error = coalesce(:new_error, error),
  traceback = coalesce(:new_traceback, traceback)
WHERE job_id = :key_0
  AND attempt = :key_1
  AND (:old_result IS NULL OR result = :old_result)
  AND (:old_error IS NULL OR error = :old_error)
  AND (:old_traceback IS NULL OR traceback = :old_traceback)
