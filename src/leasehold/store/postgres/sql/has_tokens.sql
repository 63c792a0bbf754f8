-- Says whether there ever was a token.
SELECT EXISTS (SELECT FROM leasehold.token)
