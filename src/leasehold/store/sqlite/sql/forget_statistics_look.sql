-- Whether there are counts of a span from before a moment: primary key.
SELECT EXISTS (SELECT 1 FROM leasehold_statistic WHERE span = :span AND at < :before)
