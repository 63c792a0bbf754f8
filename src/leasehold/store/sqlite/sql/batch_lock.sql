-- Takes the write lock and changes nothing: what is read from here on stays so until the commit.
-- Primary key. UPDATE, because by that word Python's sqlite3 knows that a caller's transaction must
-- begin here.
UPDATE leasehold_batch
SET round = round
WHERE id = ''
AND false
