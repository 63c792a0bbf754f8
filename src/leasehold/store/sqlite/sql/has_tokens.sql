-- Says whether there ever was a token.
SELECT EXISTS (SELECT 1 FROM leasehold_token)
