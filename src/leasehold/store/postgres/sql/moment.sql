-- Tells the time.
SELECT %(skew)s + now()
