-- Whether there are samples of a span from before a moment: primary key.
SELECT EXISTS (SELECT 1 FROM leasehold_depth WHERE span = :span AND at < :before)
