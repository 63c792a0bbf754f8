-- Puts newly encrypted values in the place of old ones, where these stand unchanged: primary key.
UPDATE leasehold_checkpoint
SET cursor = coalesce(:new_cursor, cursor),
  note = coalesce(:new_note, note)
WHERE job_id = :key_0
  AND (:old_cursor IS NULL OR cursor = :old_cursor)
  AND (:old_note IS NULL OR note = :old_note)
