"""PostgreSQL as the suite sees it: fresh databases, preloads, and what to ask them."""
