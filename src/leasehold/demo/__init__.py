"""`python -m leasehold.demo`: a small queue at work, to look at and to play with."""
