-- Draws the next fence. It only ever grows: a rolled-back one was never seen.
UPDATE leasehold_fence
SET last = last + 1
RETURNING last
