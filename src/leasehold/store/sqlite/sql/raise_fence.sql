-- Lets no lease have a number up to this one.
UPDATE leasehold_fence
SET last = max(last, :least)
